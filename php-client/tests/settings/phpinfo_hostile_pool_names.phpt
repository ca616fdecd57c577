--TEST--
phpinfo() shows pool names of any bytes: escaped for a page, harmless on a terminal
--FILE--
<?php
require __DIR__ . '/../support.inc';

$names = [
    '<script>alert("1")</script>&amp;\'',
    "a\0b\x1b[31mc\r\nd\x7f",
    "no UTF-8: \xff\xc3(\xe2\x82",
    "controls: \u{85}\u{9b}31m\u{202e}gnp.exe\u{2066}",
    'grüße заказы 注文',
    str_repeat("\xff", 255),
];
$code = '
    foreach (' . var_export($names, true) . ' as $name) {
        $pools[] = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 3, name: $name);
    }
';
// On a terminal.
$worker = new Worker($code . 'say(oxpool_info());', [], '');
preg_match('/Pool of this worker[^\n]*\n(.*)\n\nDirective/s', $worker->rest(), $table);
echo preg_replace('/ => \d+( => \d+ => \d+ => \d+)$/m', ' => ID$1', $table[1]), "\n\n";

// On a page.
$script = tempnam(sys_get_temp_dir(), 'oxpool-info-');
file_put_contents($script, "<?php $code phpinfo(INFO_MODULES);");
$page = false;
for ($try = 0; $try < 20 && $page === false; $try++) {  // somebody else may take the port
    $probe = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($probe, false);
    fclose($probe);
    $command = 'exec ' . escapeshellarg(PHP_BINARY) . ' -n ' . getenv('TEST_PHP_EXTRA_ARGS') . " -S $address " . escapeshellarg($script);
    $server = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
    while ($page === false && proc_get_status($server)['running']) {
        $page = @file_get_contents("http://$address/");
        usleep(2000);
    }
    proc_terminate($server, 9);
    proc_close($server);
}
unlink($script);
preg_match_all('#<tr><td class="e">([^<]*)</td><td class="v">\d+ </td><td class="v">0 </td><td class="v">0 </td><td class="v">3 </td></tr>#', $page, $rows);
echo implode("\n", $rows[1]), "\n";
var_dump(str_contains($page, '<script>alert'));
?>
--EXPECTF--
\xFF%r(\\xFF){254}%r => ID => 0 => 0 => 3
grüße заказы 注文 => ID => 0 => 0 => 3
controls: \xC2\x85\xC2\x9B31m\xE2\x80\xAEgnp.exe\xE2\x81\xA6 => ID => 0 => 0 => 3
no UTF-8: \xFF\xC3(\xE2\x82 => ID => 0 => 0 => 3
a\x00b\x1B[31mc\x0D\x0Ad\x7F => ID => 0 => 0 => 3
<script>alert("1")</script>&amp;' => ID => 0 => 0 => 3

\xFF%r(\\xFF){254}%r 
grüße заказы 注文 
controls: \xC2\x85\xC2\x9B31m\xE2\x80\xAEgnp.exe\xE2\x81\xA6 
no UTF-8: \xFF\xC3(\xE2\x82 
a\x00b\x1B[31mc\x0D\x0Ad\x7F 
&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;amp;&#039; 
bool(false)
