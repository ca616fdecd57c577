--TEST--
What is due at a call and fails does not reach the caller, also when its work calls the pool
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
errors_become_exceptions();
$pool = thing_pool(['maxObjectNum' => 3, 'intervalCheckTime' => 1, 'minObjectNum' => 3]);
$object = $pool->getObj();
$object->on['intervalCheck'] = function () use ($pool) {
    usleep(2000);
    $pool->invoke(fn ($other) => print("  within: {$other->number}\n"));
    throw new DomainException('dead');
};
$pool->recycleObj($object);
usleep(2000);
echo "a call\n";
$object = $pool->getObj();
echo $object->number, "\n";
Thing::$isQuiet = true;
echo preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines())), "\n";
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
a call
  1 intervalCheck
  2 beforeUse
  within: 2
  2 objectRestore
  1 gc
  4 beforeUse
4
oxpool: pool '…': the check of sweep() threw, and the resource is closed: DomainException: dead
