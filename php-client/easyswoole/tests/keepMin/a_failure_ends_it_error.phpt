--TEST--
The first object that can not be made ends keepMin(): it is reported in the error log, what was made before stays
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$log = new ErrorLog();
errors_become_exceptions();
$pool = thing_pool(['maxObjectNum' => 6, 'minObjectNum' => 5]);
$calls = 0;
$pool->create = function () use (&$calls) {
    return ++$calls === 3 ? throw new DomainException('no such host') : new Thing();
};
echo $pool->keepMin(), ' added, ', $calls, ' calls; ', short_status($pool), "\n";
echo preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines())), "\n";
echo $pool->keepMin(), ' added; ', short_status($pool), "\n";
$pool->destroy();
echo $pool->keepMin(), ' added; ', short_status($pool), "\n";
?>
--EXPECT--
2 added, 3 calls; created 2, in use 0, idle 2
oxpool: pool '…': an object could not be made ahead: DomainException: no such host
3 added; created 5, in use 0, idle 5
0 added; created 0, in use 0, idle 0
