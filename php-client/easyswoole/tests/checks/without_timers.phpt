--TEST--
Where there are no timers, what is due is done at the pool's calls
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
Thing::$isQuiet = true;
$pool->recycleObj($object);

$checks = 0;
$count = function () use (&$checks) {
    return (bool) ++$checks;
};
foreach (['an hour' => 3_600_000, 'off' => 0, 'off, too' => -1] as $what => $ms) {
    $other = thing_pool(['intervalCheckTime' => $ms, 'maxObjectNum' => 1]);
    $object = $other->getObj();
    $object->on['intervalCheck'] = $count;
    $other->recycleObj($object);
    usleep(2000);
    $other->recycleObj($other->getObj());
    echo "$what: $checks checks\n";
}
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
a call
  1 intervalCheck
  2 beforeUse
created 2, in use 1, idle 1
an hour: 0 checks
off: 0 checks
off, too: 0 checks
