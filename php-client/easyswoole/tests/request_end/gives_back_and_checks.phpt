--TEST--
At the end of the script deferred objects are given back, idle ones are checked when that is due, then all are closed
--FILE--
<?php
require __DIR__ . '/../support.inc';

$deferring = thing_pool();
$checking = thing_pool(['maxObjectNum' => 2, 'intervalCheckTime' => 1, 'minObjectNum' => 1]);
Thing::$isQuiet = true;
$deferred = $deferring->defer();
$deferring->recycleObj($deferring->getObj());
$object = $checking->getObj();
$checking->recycleObj($object);
usleep(2000);
Thing::$isQuiet = false;
$object->on['intervalCheck'] = fn () => false; // and is not replaced: that would be closed at once
$object = null;
echo "the end\n";
?>
--EXPECT--
the end
  1 objectRestore
  3 intervalCheck
  3 gc
  1 gc
  2 gc
