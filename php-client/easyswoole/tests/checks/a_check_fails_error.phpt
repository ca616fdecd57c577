--TEST--
A check that throws closes its object and nothing else; no error handler and no timer sees it; rounds don't overlap
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Runtime\Runtimes;

final class Bad extends ThingPool
{
    protected function intervalCheck(): void
    {
        throw new LogicException('a subclass');
    }
}
$log = new ErrorLog();
errors_become_exceptions();
Runtimes::use($runtime = new ManualRuntime());
$pool = thing_pool(['maxObjectNum' => 3, 'intervalCheckTime' => 100]);
$pool->keepMin(3);
$objects = [$pool->getObj(), $pool->getObj(), $pool->getObj()];
array_map($pool->recycleObj(...), $objects);
$objects[0]->on['intervalCheck'] = fn () => throw new DomainException('dead');
$objects[0]->on['gc'] = fn () => throw new DomainException('can not be closed');
$objects[1]->on['intervalCheck'] = function () use ($pool) {
    $pool->checkNow();
    echo "  a round within a round did nothing\n";
    return true;
};
echo "the round\n";
$pool->getConfig()->setMinObjectNum(3);
$pool->create = fn () => throw new DomainException('no such host');
$runtime->fire(100);
echo short_status($pool), "\n";
unset($objects[1]->on['intervalCheck'], $pool->create);
echo "the next round\n";
$runtime->fire(100);
echo short_status($pool), "\n";
$bad = new Bad(new EasySwoole\Pool\Config(['name' => fresh_name('bad'), 'minObjectNum' => 0]));
Thing::$isQuiet = true;
$object = $bad->getObj();
$runtime->fire(5000);
echo preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines())), "\n";
?>
--EXPECT--
  3 beforeUse
  2 beforeUse
  1 beforeUse
  3 objectRestore
  2 objectRestore
  1 objectRestore
the round
  1 intervalCheck
  2 intervalCheck
  a round within a round did nothing
  3 intervalCheck
  3 gc
created 2, in use 0, idle 2
the next round
  1 intervalCheck
  2 intervalCheck
created 3, in use 0, idle 3
oxpool: pool '…': the check of sweep() threw, and the resource is closed: DomainException: dead
oxpool: pool '…': destroy threw: DomainException: can not be closed
oxpool: pool '…': an object could not be made ahead: DomainException: no such host
oxpool: pool '…': the interval check threw: LogicException: a subclass
