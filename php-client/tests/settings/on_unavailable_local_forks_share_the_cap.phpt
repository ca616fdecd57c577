--TEST--
Without a daemon a process and its forks share one cap, and the line in the error log comes once for all of them
--EXTENSIONS--
pcntl
posix
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 3, name: 'p');
$mine = $pool->acquire();
[$test, $children] = stream_socket_pair(AF_UNIX, SOCK_STREAM, 0);
stream_set_read_buffer($children, 0);  // each child reads its own byte
$pids = [];
for ($i = 0; $i < 2; $i++) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        $handle = $pool->acquireTimeout(30000);
        fwrite($children, '+');
        fread($children, 1);
        $handle->release();
        posix_kill(posix_getpid(), SIGKILL);
    }
    $pids[] = $pid;
}
// Each of three has one.
foreach ($pids as $pid) {
    echo fread($test, 1);
}
echo "\n", counts($pool), "\n";
var_dump($pool->tryAcquire());
// One more waits, and gets what the parent gives back.
$pid = pcntl_fork();
if ($pid === 0) {
    $handle = $pool->acquireTimeout(30000);
    fwrite($children, 'served');
    $handle->release();
    exit(0);
}
wait_until(fn () => $pool->stats()->waiting() === 1, 'the third child to wait');
$mine->discard();
echo fread($test, 6), "\n";
pcntl_waitpid($pid, $status);
fwrite($test, '..');
foreach ($pids as $pid) {
    pcntl_waitpid($pid, $status);
}
wait_until(fn () => $pool->stats()->size() === 0, 'the idle slots of killed children to come back');
echo counts($pool), "\n";
echo count($log->lines()), "\n";
?>
--EXPECT--
++
in use 3, idle 0, waiting 0, max 3
NULL
served
in use 0, idle 0, waiting 0, max 3
1
