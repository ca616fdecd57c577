--TEST--
A setter that is called while a pool is in use acts at its next call: cap, interval, batch
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Exception\PoolEmpty;
use EasySwoole\Pool\Runtime\Runtimes;

Runtimes::use($runtime = new ManualRuntime());
Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 1, 'intervalCheckTime' => 700]);
$first = $pool->getObj();
echo get_class((function () use ($pool) {
    try {
        return $pool->getObj(0);
    } catch (PoolEmpty $e) {
        return $e;
    }
})()), ', timers ', $runtime->intervals(), "\n";

$pool->getConfig()->setMaxObjectNum(2)->setIntervalCheckTime(300);
$second = $pool->getObj(0);
echo "second object, max {$pool->status()['max']}, timers {$runtime->intervals()}\n";
$pool->recycleObj($first);
$pool->recycleObj($second);

// What is idle stays.
$pool->getConfig()->setMinObjectNum(0)->setMaxObjectNum(3)->setIntervalCheckTime(0);
$third = $pool->getObj(0);
echo $third === $second ? 'the same object' : 'another object', ", timers {$runtime->intervals()}\n";
?>
--EXPECT--
EasySwoole\Pool\Exception\PoolEmpty, timers 5000 700
second object, max 2, timers 5000 300
the same object, timers 5000
