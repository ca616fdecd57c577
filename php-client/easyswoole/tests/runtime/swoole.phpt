--TEST--
In coroutines of Swoole: a wait suspends, first come, first served; createObject() may sleep; timers; defer()
--SKIPIF--
<?php if (extension_loaded('swoole')) echo 'skip has the real Swoole'; ?>
--FILE--
<?php
require __DIR__ . '/../stand_in/swoole.inc';
require __DIR__ . '/../in_coroutines.inc';
use Swoole\Coroutine;

$go = Coroutine::create(...);
$sleep = Coroutine::sleep(...);
Swoole\Coroutine\run(fn () => in_coroutines($go, $sleep, fn () => count(Swoole\StandIn\Scheduler::$timers) + count(Swoole\StandIn\Scheduler::$streams)));
echo count(Swoole\StandIn\Scheduler::$coroutines), " coroutines are left\n";
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
0 coroutines are left
