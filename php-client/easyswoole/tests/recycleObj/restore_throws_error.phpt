--TEST--
An object whose objectRestore() throws is closed first, then reported in the error log; recycleObj() returns false
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
errors_become_exceptions();
$pool = thing_pool(['maxObjectNum' => 1]);
$object = $pool->getObj();
$object->on['objectRestore'] = fn () => throw new DomainException('a transaction is open');
$object->on['gc'] = function () use ($log) {
    echo '  reported before: ', count($log->lines()), "\n";
};
echo json_encode($pool->recycleObj($object)), ' ', short_status($pool), ' ', json_encode($pool->isPoolObject($object)), "\n";
echo preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines())), "\n";
$object = $pool->getObj(0);
echo $object->number, "\n";
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
  1 gc
  reported before: 0
false created 0, in use 0, idle 0 false
oxpool: pool '…': objectRestore() threw, and the object is closed: DomainException: a transaction is open
  2 beforeUse
2
