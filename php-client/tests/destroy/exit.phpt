--TEST--
exit() inside destroy ends the script; the unit is back, the rest is destroyed
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) use (&$pool) {
    echo "destroy {$r->number}\n";
    if ($r->number === 1) {
        exit(0);
    }
}, maxSize: 4);
$keep = $pool->acquire();
register_shutdown_function(fn () => print(counts($pool) . "\n"));
$other = $pool->acquire();
$other->release();
try {
    $keep->discard();
    echo "not reached\n";
} finally {
    echo "nor here\n";
}
?>
--EXPECT--
destroy 1
resource 1 is gone
in use 0, idle 1, waiting 0, max 4
destroy 2
resource 2 is gone
