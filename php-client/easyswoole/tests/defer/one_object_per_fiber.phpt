--TEST--
Each fiber has a deferred object of its own, given back when the fiber is over, and at the latest when a unit is wanted
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 3]);
$numbers = [];
$task = function () use ($pool, &$numbers) {
    $numbers[] = $pool->defer()->number;
    Fiber::suspend();
    $numbers[] = $pool->defer()->number;
};
$fiber = fn () => new Fiber($task);
$one = $fiber();
$two = $fiber();
$one->start();
$two->start();
$numbers[] = $pool->defer()->number;
$two->resume();
$one->resume();
echo json_encode($numbers), ' ', short_status($pool), "\n";
unset($one);
echo "one Fiber object is gone: ", short_status($pool), "\n";
$a = $pool->getObj(0);
$b = $pool->getObj(0);
echo "the other one has returned: ", json_encode([$a !== null, $b !== null]), ' ', short_status($pool), "\n";

// A fiber that never ends, when it is destroyed.
$pool->recycleObj($a);
$three = $fiber();
$three->start();
echo short_status($pool), "\n";
unset($three);
echo short_status($pool), "\n";

// Given back by another fiber: the owner gets another one.
$pool->recycleObj($b);
$object = null;
$four = new Fiber(function () use ($pool, &$object) {
    $object = $pool->defer();
    Fiber::suspend();
    echo $pool->defer() === $object && $pool->isInPool($object) ? "stale\n" : "fresh\n";
    Fiber::suspend();
});
$four->start();
(new Fiber(fn () => print(json_encode($pool->recycleObj($object)) . "\n")))->start();
$taken = $pool->getObj();
$four->resume();
?>
--EXPECT--
[1,2,3,2,1] created 3, in use 3, idle 0
one Fiber object is gone: created 3, in use 2, idle 1
the other one has returned: [true,true] created 3, in use 3, idle 0
created 3, in use 3, idle 0
created 3, in use 2, idle 1
true
fresh
