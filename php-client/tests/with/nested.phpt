--TEST--
A body may call the same pool: with another unit it gets another resource
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 2);
echo $pool->with(fn ($outer) => $pool->with(fn ($inner) => "{$outer->number} {$inner->number}, " . counts($pool))), "\n";
echo $pool->with(fn ($outer) => $pool->evict() . ' evicted, ' . counts($pool)), "\n";
?>
--EXPECT--
1 2, in use 2, idle 0, waiting 0, max 2
resource 2 is gone
1 evicted, in use 1, idle 0, waiting 0, max 2
resource 1 is gone
