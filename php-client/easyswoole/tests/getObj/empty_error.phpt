--TEST--
PoolEmpty: in time no object, none is waited for, the wait would never end, or enough wait already
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 1, 'getObjectTimeout' => 0.02]);
$object = $pool->getObj();
foreach ([null, 0, 0.001, -1] as $timeout) {
    $begun = hrtime(true);
    try {
        $pool->getObj($timeout);
    } catch (EasySwoole\Pool\Exception\Exception $e) {
        echo json_encode($timeout), ': ', refused(fn () => throw $e), ', because of ',
            $e->getPrevious() ? get_class($e->getPrevious()) : 'nothing', "\n";
    }
    if ($timeout === null) {
        echo hrtime(true) - $begun >= 20_000_000 ? "waited as long as the Config says\n" : "too early\n";
    }
}
echo refused(fn () => $pool->invoke(fn () => null, 0)), "\n", refused(fn () => $pool->defer(0)), "\n";

$pool->getConfig()->setMaxWaiting(0);
$begun = hrtime(true);
echo refused(fn () => $pool->getObj(60)), ', ', hrtime(true) - $begun < 30e9 ? "at once\n" : "late\n";

// One object, borrowed and asked for again within.
$pool->getConfig()->setMaxWaiting(null);
$pool->recycleObj($object);
echo refused(fn () => $pool->invoke(fn () => $pool->invoke(fn () => null, 0.001), 0.001)), '; ', short_status($pool), "\n";
?>
--EXPECT--
null: EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0.02 s; in use 1, idle 0, waiting 0, max 1), because of OxPHP\Shared\OperationTimeoutException
waited as long as the Config says
0: EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0 s; in use 1, idle 0, waiting 0, max 1), because of nothing
0.001: EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0.001 s; in use 1, idle 0, waiting 0, max 1), because of OxPHP\Shared\OperationTimeoutException
-1: EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: the wait would never end (timeout -1 s; in use 1, idle 0, waiting 0, max 1), because of OxPHP\Shared\DeadlockException
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0 s; in use 1, idle 0, waiting 0, max 1)
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0 s; in use 1, idle 0, waiting 0, max 1)
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: as many wait as maxWaiting allows (timeout 60 s; in use 1, idle 0, waiting 0, max 1), at once
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0.001 s; in use 1, idle 0, waiting 0, max 1); created 1, in use 0, idle 1
