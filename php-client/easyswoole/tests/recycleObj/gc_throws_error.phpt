--TEST--
What gc() throws is written to the error log: the unit is free, unsetObj() returns true, the rest is closed too
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
errors_become_exceptions();
$pool = thing_pool();
$pool->create = function () {
    $thing = new Thing();
    $thing->on['gc'] = fn () => throw new DomainException("can not close $thing->number");
    return $thing;
};
echo json_encode($pool->unsetObj($pool->getObj())), ' ', short_status($pool), "\n";
$pool->keepMin(2);
$pool->destroy();
$object = $pool->reset()->getObj();
$object->on['objectRestore'] = fn () => throw new DomainException('a transaction is open');
echo json_encode($pool->recycleObj($object)), ' ', short_status($pool), "\n";
echo preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines())), "\n";
?>
--EXPECT--
  1 beforeUse
  1 gc
true created 0, in use 0, idle 0
  3 gc
  2 gc
  4 beforeUse
  4 objectRestore
  4 gc
false created 0, in use 0, idle 0
oxpool: pool '…': destroy threw: DomainException: can not close 1
oxpool: pool '…': destroy threw: DomainException: can not close 3
oxpool: pool '…': destroy threw: DomainException: can not close 2
oxpool: pool '…': destroy threw: DomainException: can not close 4
oxpool: pool '…': objectRestore() threw, and the object is closed: DomainException: a transaction is open
