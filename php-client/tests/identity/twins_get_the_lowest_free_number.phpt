--TEST--
Pools alive at the same time from the same place are different pools; a number is free again when its pool is gone
--FILE--
<?php
require __DIR__ . '/../support.inc';

function make() { return new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1); }
$shown = fn ($pool) => substr($pool->name(), strlen(__FILE__)) . "\n";
$pools = [make(), make(), make()];
array_map(fn ($pool) => print($shown($pool)), $pools);
echo count(array_unique(array_map(fn ($pool) => $pool->id(), $pools))), " ids\n";
$pools[1]->acquire()->release();
$second = $pools[1]->id();
unset($pools[1]);
$again = make();
echo $shown($again), var_export($again->id() === $second, true), "\n";
echo $shown(make()), $shown(make());
?>
--EXPECT--
:4
:4 (2)
:4 (3)
3 ids
:4 (2)
true
:4 (4)
:4 (4)
