--TEST--
At low load a tenth of this process's objects is closed, at least one, of the idle ones, and never below the minimum
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Runtime\Runtimes;

Thing::$isQuiet = true;
Runtimes::use($runtime = new ManualRuntime());
$pool = thing_pool(['maxObjectNum' => 25, 'minObjectNum' => 21]);
$pool->keepMin(25);
echo "timers: {$runtime->intervals()}\n";
for ($i = 0; $i < 3; ++$i) {
    $runtime->fire(5000);
    echo short_status($pool), "\n";
}
$pool = thing_pool(['maxObjectNum' => 2]);
$object = $pool->getObj();
$runtime->fire(5000);
echo 'borrowed: ', short_status($pool), "\n";
$pool->recycleObj($object);
$runtime->fire(5000);
echo 'at least one: ', short_status($pool), ' ', json_encode($pool->isPoolObject($object)), "\n";
$runtime->fire(5000);
echo 'none is left: ', short_status($pool), "\n";
?>
--EXPECT--
timers: 5000
created 23, in use 0, idle 23
created 21, in use 0, idle 21
created 21, in use 0, idle 21
borrowed: created 1, in use 1, idle 0
at least one: created 0, in use 0, idle 0 false
none is left: created 0, in use 0, idle 0
