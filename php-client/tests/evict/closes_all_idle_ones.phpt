--TEST--
evict() closes every idle resource of this worker, fresh ones too, and returns how many; those in use stay
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 4, idleTimeoutMs: 0);
echo $pool->evict(), "\n";
$handles = [$pool->acquire(), $pool->acquire(), $pool->acquire()];
$handles[1]->release();
$handles[2]->release();
echo $pool->evict(), "\n", counts($pool), "\n";
echo $handles[0]->get()->number, "\n";
echo $pool->evict(), "\n";
?>
--EXPECT--
0
resource 3 is gone
resource 2 is gone
2
in use 1, idle 0, waiting 0, max 4
1
0
resource 1 is gone
