--TEST--
destroy may use other pools and the same one
--FILE--
<?php
require __DIR__ . '/../support.inc';

$other = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) use (&$pool, $other) {
    echo "destroy {$r->number}: ", $other->with('get_class'), ', same pool: ', var_export($pool?->tryAcquire() !== null, true), "\n";
}, maxSize: 2);
$one = $pool->acquire();
$two = $pool->acquire();
$one->release();
echo $pool->evict(), "\n", counts($pool), "\n";
$two->discard();
echo counts($pool), "\n";
// By now each destroy makes another one; the last has no pool to make it in.
$pool = null;
?>
--EXPECT--
destroy 1: stdClass, same pool: false
resource 1 is gone
1
in use 1, idle 0, waiting 0, max 2
destroy 2: stdClass, same pool: true
resource 2 is gone
in use 0, idle 1, waiting 0, max 2
destroy 3: stdClass, same pool: false
resource 3 is gone
