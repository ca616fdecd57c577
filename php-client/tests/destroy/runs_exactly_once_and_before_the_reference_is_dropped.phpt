--TEST--
destroy runs exactly once for a resource, before the pool drops it: at evict, discard, the end of the pool, the end of the script
--FILE--
<?php
require __DIR__ . '/../support.inc';

$make = fn () => new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
}, maxSize: 4);
$pool = $make();
$handles = [$pool->acquire(), $pool->acquire(), $pool->acquire()];
$handles[0]->discard();
$handles[1]->release();
echo $pool->evict(), " evicted\n";
$handles[2]->release();
$pool = null;
echo "pool is gone\n";
$pool = $make();
$handle = $pool->acquire();
$pool->acquire()->release();
echo "end of the script\n";
?>
--EXPECT--
destroy 1
resource 1 is gone
destroy 2
resource 2 is gone
1 evicted
destroy 3
resource 3 is gone
pool is gone
end of the script
destroy 5
resource 5 is gone
destroy 4
resource 4 is gone
