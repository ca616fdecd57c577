--TEST--
In a loop of Revolt: a wait suspends, first come, first served; createObject() may sleep; timers; defer()
--FILE--
<?php
// The real one from OXPOOL_TEST_VENDOR, a vendor directory, where that has it.
if (is_file($autoload = getenv('OXPOOL_TEST_VENDOR') . '/autoload.php')) {
    require $autoload;
}
if (!class_exists(Revolt\EventLoop::class)) {
    require __DIR__ . '/../stand_in/revolt.inc';
}
require __DIR__ . '/../in_coroutines.inc';
use Revolt\EventLoop;

$go = EventLoop::queue(...);
$sleep = function (float $seconds) {
    $suspension = EventLoop::getSuspension();
    EventLoop::delay($seconds, fn () => $suspension->resume());
    $suspension->suspend();
};
EventLoop::queue(fn () => in_coroutines($go, $sleep, fn () => count(EventLoop::getIdentifiers())));
EventLoop::run();
echo "the loop ends\n";
?>
--EXPECT--
1 2 3 4 5 6, made 2; created 2, in use 0, idle 2
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0.05 s; in use 2, idle 0, waiting 0, max 2), others ran
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0 s; in use 2, idle 0, waiting 0, max 2)
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: as many wait as maxWaiting allows (timeout 30 s; in use 1, idle 0, waiting 1, max 2)
DomainException: no such host, Thing; created 2, in use 2, idle 0
who waited, who had it
2 at a time
EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
2 objects; created 2, in use 0, idle 2
handed over
checked
3 timers and streams ended
3 timers and streams ended
the loop ends
