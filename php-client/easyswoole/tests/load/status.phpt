--TEST--
status() has the guide's two fields first, and more
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 3, 'minObjectNum' => 1]);
echo json_encode($pool->status(), JSON_PRESERVE_ZERO_FRACTION), "\n";
$within = null;
$pool->create = function () use ($pool, &$within) {
    $within = short_status($pool);
    return new Thing();
};
$object = $pool->getObj();
echo "within createObject(): $within\n";
$pool->keepMin(2);
echo json_encode($pool->status(), JSON_PRESERVE_ZERO_FRACTION), "\n";
$pool->destroy();
echo json_encode($pool->status(), JSON_PRESERVE_ZERO_FRACTION), "\n";
?>
--EXPECT--
{"createdNum":0,"loadAverageTime":0.0,"inUse":0,"idle":0,"waiting":0,"max":3,"min":1}
within createObject(): created 1, in use 0, idle 0
{"createdNum":2,"loadAverageTime":0.0,"inUse":1,"idle":1,"waiting":0,"max":3,"min":1}
{"createdNum":1,"loadAverageTime":0.0,"inUse":1,"idle":0,"waiting":0,"max":3,"min":1}
