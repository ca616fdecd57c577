--TEST--
tryAcquire() returns null at once when every unit is taken
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2);
$one = $pool->tryAcquire();
$two = $pool->tryAcquire();
var_dump($pool->tryAcquire());
$one->release();
var_dump($pool->tryAcquire() !== null);
?>
--EXPECT--
NULL
bool(true)
