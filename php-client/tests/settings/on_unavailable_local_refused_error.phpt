--TEST--
Whoever is answered is not local: a refusal, another version and another program are errors with oxpool.on_unavailable=local too
--FILE--
<?php
require __DIR__ . '/../support.inc';

ob_start();
phpinfo(INFO_MODULES);
preg_match('/Segment layout => (\d+)/', ob_get_clean(), $abi);
$reply = fn (int $abi, int $status, string $message): string =>
    str_pad(pack('L5', 0x4F585044, 632, $abi, 0, $status), 120, "\0") . str_pad($message, 512, "\0");

$directory = sys_get_temp_dir() . '/oxpool-refuses-' . getmypid();
mkdir($directory);
$listener = stream_socket_server("unix://$directory/client.sock");
$answers = [
    $reply((int) $abi[1], 1, 'uid 7 is not in access.users'),
    $reply((int) $abi[1], 7, 'the segment is broken'),
    $reply((int) $abi[1] + 1, 2, ''),
    'HTTP/1.1 400 Bad Request',
];
foreach ($answers as $answer) {
    $worker = new Worker('say(thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass())));', [],
        "-d oxpool.runtime_dir=$directory -d oxpool.connect_timeout_ms=30000 -d oxpool.on_unavailable=local");
    $connection = stream_socket_accept($listener, 30);
    fwrite($connection, $answer);
    echo str_replace($directory, 'DIRECTORY', $worker->line()), "\n";
    fclose($connection);
    $worker->end();
}
fclose($listener);
unlink("$directory/client.sock");
rmdir($directory);
?>
--EXPECTF--
OxPHP\Shared\SharedException: oxpoold at DIRECTORY/client.sock: uid 7 is not in access.users
OxPHP\Shared\SharedException: oxpoold at DIRECTORY/client.sock: the segment is broken
OxPHP\Shared\SharedException: oxpoold at DIRECTORY/client.sock has layout version %d, this client has %d; install the same version of both
OxPHP\Shared\SharedException: oxpoold at DIRECTORY/client.sock: what answers is not oxpoold; check the runtime directory
