--TEST--
destroy() closes what is idle, before the first use and twice too; reset() makes the pool usable again
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = thing_pool();
$pool->destroy();
$pool->destroy();
echo short_status($pool), "\n";
$pool->reset();
$config = $pool->getConfig();
$out = $pool->getObj();
$pool->keepMin(2);
echo "destroy\n";
$pool->destroy();
$pool->destroy();
echo short_status($pool), ' ', json_encode([$pool->isPoolObject($out), $pool->isInPool($out)]), "\n";
echo "reset\n";
echo json_encode([$pool->reset() === $pool, $pool->getConfig() === $config, $pool->isPoolObject($out)]), "\n";
$next = $pool->getObj();
echo short_status($pool), "\n";
echo "one of before is known, and closed when it comes back:\n";
echo json_encode($pool->recycleObj($out)), ' ', short_status($pool), ' ', json_encode($pool->isPoolObject($out)), "\n";
echo json_encode($pool->recycleObj($next)), ' ', short_status($pool), "\n";
$pool->reset();
echo short_status($pool), "\n";
?>
--EXPECT--
created 0, in use 0, idle 0
  1 beforeUse
destroy
  2 gc
created 1, in use 1, idle 0 [true,false]
reset
[true,true,true]
  3 beforeUse
created 2, in use 2, idle 0
one of before is known, and closed when it comes back:
  1 gc
true created 1, in use 1, idle 0 false
  3 objectRestore
true created 1, in use 0, idle 1
  3 gc
created 0, in use 0, idle 0
