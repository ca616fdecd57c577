--TEST--
Where there are no timers, what is due is done at the pool's calls and when the request ends
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = thing_pool(['maxObjectNum' => 3, 'intervalCheckTime' => 1, 'minObjectNum' => 2]);
$object = $pool->getObj();
usleep(2000);
$pool->recycleObj($object);
echo "a call\n";
$object = $pool->getObj();
echo short_status($pool), "\n";
$pool->recycleObj($object);
usleep(2000);
$rare = thing_pool(['intervalCheckTime' => 3_600_000, 'maxObjectNum' => 1]);
$rare->recycleObj($rare->getObj());
$rare->recycleObj($rare->getObj());
$off = thing_pool(['intervalCheckTime' => -1, 'maxObjectNum' => 1]);
$off->recycleObj($off->getObj());
usleep(2000);
$off->recycleObj($off->getObj());
echo "the end\n";
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
a call
  1 intervalCheck
  2 beforeUse
created 2, in use 1, idle 1
  2 objectRestore
  3 beforeUse
  3 objectRestore
  3 beforeUse
  3 objectRestore
  4 beforeUse
  4 objectRestore
  4 beforeUse
  4 objectRestore
the end
  1 intervalCheck
  2 intervalCheck
  4 gc
  3 gc
  2 gc
  1 gc
