--TEST--
Without a daemon the units of a killed child come back, to who waits and to who only tries
--EXTENSIONS--
pcntl
posix
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
error_log=/dev/null
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2, name: 'p');
function child_that_holds_both(OxPHP\Shared\Pool $pool): int
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        $handles = [$pool->acquire(), $pool->acquire()];
        sleep(60);
        exit(0);
    }
    wait_until(fn () => $pool->stats()->inUse() === 2, 'the child to hold both');
    return $pid;
}
$pid = child_that_holds_both($pool);
var_dump($pool->tryAcquire());
posix_kill($pid, SIGKILL);
pcntl_waitpid($pid, $status);
$handles = [$pool->acquireTimeout(30000), $pool->acquire()];
echo counts($pool), "\n";
$handles[0]->discard();
$handles[1]->discard();

$pid = child_that_holds_both($pool);
posix_kill($pid, SIGKILL);
pcntl_waitpid($pid, $status);
wait_until(fn () => ($handle = $pool->tryAcquire()) !== null, 'a unit');
wait_until(fn () => $pool->stats()->inUse() === 0, 'the other');
echo counts($pool), "\n";
?>
--EXPECT--
NULL
in use 2, idle 0, waiting 0, max 2
in use 0, idle 1, waiting 0, max 2
