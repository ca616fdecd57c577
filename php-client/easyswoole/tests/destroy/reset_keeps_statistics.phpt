--TEST--
reset() keeps the statistics of waits
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 1, 'name' => $name = fresh_name('busy')]);
$worker = new Worker('require_once $support; Thing::$isQuiet = true;
    $pool = thing_pool(["maxObjectNum" => 1, "name" => $name]);
    $object = $pool->getObj(); say("has it"); hear(); usleep(50_000); $pool->unsetObj($object);',
    ['name' => $name, 'support' => __DIR__ . '/../support.inc']);
$worker->expect('has it');
$worker->tell('give it soon');
$pool->recycleObj($pool->getObj(30));
echo json_encode([$pool->status()['loadAverageTime'] > 0, $pool->reset()->status()['loadAverageTime'] > 0]), "\n";
?>
--EXPECT--
[true,true]
