--TEST--
In a fiber of a scheduler that the library does not know a wait blocks, and times out
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 1]);
$object = $pool->getObj();
(new Fiber(function () use ($pool) {
    echo refused(fn () => $pool->getObj(0.01)), "\n";
}))->start();
$pool->recycleObj($object);
(new Fiber(fn () => print(get_class($pool->getObj(0.01)) . "\n")))->start();
?>
--EXPECT--
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0.01 s; in use 1, idle 0, waiting 0, max 1)
Thing
