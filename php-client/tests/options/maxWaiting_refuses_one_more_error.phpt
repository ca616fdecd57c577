--TEST--
With maxWaiting 3 and a hundred arrivals, 97 fail at once, with the numbers in the message
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('crowd');
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name, maxWaiting: 3);
$handle = $pool->acquire();
[$read, $write] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_DGRAM, 0);
$children = [];
for ($i = 0; $i < 100; ++$i) {
    if (($pid = pcntl_fork()) === 0) {
        $begin = hrtime(true);
        try {
            $pool->acquire()->release();
            $said = 'served';
        } catch (OxPHP\Shared\CapacityException $e) {
            // Its own time, without that of a hundred others: what the processor gave it.
            $usage = getrusage();
            $said = str_replace($name, 'NAME', $e->getMessage());
        }
        fwrite($write, $said);
        exit(0);
    }
    $children[] = $pid;
}
$refused = [];
while (count($refused) < 97) {
    $line = fread($read, 1000);
    $refused[] = preg_replace('/waited \d+ ms/', 'waited N ms', $line);
}
print_r(array_count_values($refused));
echo counts($pool), "\n";
$handle->release();
for ($i = 0; $i < 3; ++$i) {
    echo fread($read, 1000), "\n";
}
foreach ($children as $pid) {
    pcntl_waitpid($pid, $status);
}
wait_until(fn () => $pool->stats()->size() === 0, 'the children to be buried');
echo counts($pool), "\n";
?>
--EXPECT--
Array
(
    [pool 'NAME': no more than maxWaiting 3 may wait (in use 1, idle 0, minting 0, closing 0, waiting 3, max 1, waited N ms)] => 97
)
in use 1, idle 0, waiting 3, max 1
served
served
served
in use 0, idle 0, waiting 0, max 1
