--TEST--
The interval check looks at no more idle objects than the batch, in rotation, then keeps the minimum; in a timer's turn
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\AbstractPool;
use EasySwoole\Pool\Runtime\Runtimes;

Runtimes::use($runtime = new ManualRuntime());
$pool = thing_pool(['maxObjectNum' => 6, 'intervalCheckTime' => 200, 'intervalCheckBatchSize' => 2]);
echo "timers before the first use: {$runtime->intervals()}\n";
$pool->keepMin(4);
echo "timers: {$runtime->intervals()}\n";
$pool->getConfig()->setMinObjectNum(5);
$runtime->fire(200);
echo short_status($pool), "\n";
$runtime->fire(200);
echo "a batch above the number of idle ones:\n";
$pool->getConfig()->setIntervalCheckBatchSize(10);
$borrowed = $pool->getObj();
$runtime->fire(200);
echo "an unfit one is closed and replaced:\n";
$pool->recycleObj($borrowed);
$borrowed->on['intervalCheck'] = fn () => false;
$runtime->fire(200);
echo short_status($pool), "\n";
echo (new ReflectionMethod(AbstractPool::class, 'intervalCheck'))->isProtected() ? "protected\n" : "not protected\n";
Thing::$isQuiet = true;
$pool->destroy();
echo "timers: {$runtime->intervals()}\n";
?>
--EXPECT--
timers before the first use: none
timers: 5000 200
  1 intervalCheck
  2 intervalCheck
created 5, in use 0, idle 5
  3 intervalCheck
  4 intervalCheck
a batch above the number of idle ones:
  5 beforeUse
  1 intervalCheck
  2 intervalCheck
  3 intervalCheck
  4 intervalCheck
an unfit one is closed and replaced:
  5 objectRestore
  5 intervalCheck
  5 gc
  1 intervalCheck
  2 intervalCheck
  3 intervalCheck
  4 intervalCheck
created 5, in use 0, idle 5
protected
timers: none
