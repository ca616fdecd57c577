--TEST--
Errors at the end of a fiber or request go to the error log; a destroyed pool gives nothing, and closes what it gave
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Failing extends ThingPool
{
    public function recycleObj($obj): bool
    {
        throw new LogicException('not now');
    }
}
$log = new ErrorLog();
errors_become_exceptions();
$lines = fn () => preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines()));
$pool = thing_pool();
$fiber = new Fiber(fn () => $pool->defer()->on['objectRestore'] = fn () => throw new DomainException('restore'));
$fiber->start();
unset($fiber);
echo short_status($pool), "\n";
$failing = new Failing(new EasySwoole\Pool\Config(['name' => fresh_name('failing'), 'minObjectNum' => 0]));
$fiber = new Fiber(fn () => $failing->defer() && null);
$fiber->start();
unset($fiber);
echo $lines(), "\n";

$object = $pool->defer();
$pool->destroy();
echo refused(fn () => $pool->defer()), "\n";
$pool->reset();
echo json_encode($pool->defer() === $object), ' ', short_status($pool), "\n";
unset($object);
echo "the end\n";
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
  1 gc
created 0, in use 0, idle 0
  2 beforeUse
oxpool: pool '…': objectRestore() threw, and the object is closed: DomainException: restore
oxpool: pool '…': giving back what defer() gave threw: LogicException: not now
  3 beforeUse
EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
  4 beforeUse
false created 2, in use 2, idle 0
the end
  4 objectRestore
  3 gc
  4 gc
