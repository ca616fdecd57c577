--TEST--
Threshold 0, waits above it, or timeouts: no low load, nothing is closed
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Runtime\Runtimes;

Thing::$isQuiet = true;
Runtimes::use($runtime = new ManualRuntime());
$off = thing_pool(['waitLoadAverageTime' => 0]);
$off->recycleObj($off->getObj());
$runtime->fire(5000);
echo 'threshold 0: ', short_status($off), "\n";

$pool = thing_pool(['maxObjectNum' => 1]);
$object = $pool->getObj();
echo refused(fn () => $pool->getObj(0.002)), "\n";
$pool->recycleObj($object);
$pool->recycleObj($pool->getObj());
$pool->getConfig()->setWaitLoadAverageTime(60);
$runtime->fire(5000);
echo 'a timeout: ', short_status($pool), "\n";

// Waits for another process's object.
$pool = thing_pool(['maxObjectNum' => 1, 'name' => $name = fresh_name('busy')]);
$worker = new Worker('require_once $support; Thing::$isQuiet = true;
    $pool = thing_pool(["maxObjectNum" => 1, "name" => $name]);
    $object = $pool->getObj(); say("has it"); hear(); usleep(50_000); $pool->unsetObj($object);',
    ['name' => $name, 'support' => __DIR__ . '/../support.inc']);
$worker->expect('has it');
$worker->tell('give it soon');
$pool->recycleObj($pool->getObj(30));
$runtime->fire(5000);
echo 'a wait: ', short_status($pool), ' ', $pool->status()['loadAverageTime'] > 0 ? 'average above 0' : 'average 0', "\n";
$pool->getConfig()->setWaitLoadAverageTime(60);
$runtime->fire(5000);
echo 'below the threshold: ', short_status($pool), "\n";
?>
--EXPECT--
threshold 0: created 1, in use 0, idle 1
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0.002 s; in use 1, idle 0, waiting 0, max 1)
a timeout: created 1, in use 0, idle 1
a wait: created 1, in use 0, idle 1 average above 0
below the threshold: created 0, in use 0, idle 0
