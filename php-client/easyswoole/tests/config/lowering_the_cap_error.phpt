--TEST--
A lower cap acts on who borrows next; what is beyond it is closed when it comes back
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool();
$one = $pool->getObj();
$two = $pool->getObj();
$pool->getConfig()->setMaxObjectNum(1);
$pool->keepMin();
echo short_status($pool), ", max {$pool->status()['max']}\n";
$pool->recycleObj($one);
echo short_status($pool), ', ', get_class((function () use ($pool) {
    try {
        return $pool->getObj(0);
    } catch (Throwable $e) {
        return $e;
    }
})()), "\n";
$pool->recycleObj($two);
$pool->getObj(0);
echo short_status($pool), "\n";
?>
--EXPECT--
created 2, in use 2, idle 0, max 1
created 1, in use 1, idle 0, EasySwoole\Pool\Exception\PoolEmpty
created 1, in use 1, idle 0
