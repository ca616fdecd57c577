--TEST--
stats() is a snapshot: in use, idle, size, cap, utilization
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 4);
$before = $pool->stats();
$handle = $pool->acquire();
$pool->acquire()->release();
foreach ([$before, $pool->stats(), clone $pool->stats()] as $stats) {
    echo json_encode([$stats->inUse(), $stats->idle(), $stats->waiting(), $stats->size(), $stats->maxSize(), $stats->utilization()]), "\n";
}
?>
--EXPECT--
[0,0,0,0,4,0]
[1,1,0,2,4,0.25]
[1,1,0,2,4,0.25]
