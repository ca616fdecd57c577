--TEST--
A released handle does not keep its pool alive; nor does one in use, whose resource is closed when it comes back
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
}, maxSize: 3);
$held = $pool->acquire();
$released = $pool->acquire();
$released->release();
$watched = WeakReference::create($pool);
$pool = null;
var_dump($watched->get());
echo "handle in use: ", $held->get()->number, "\n";
$held->release();
echo thrown(fn () => $held->get()) !== 'nothing' ? 'stale' : 'wrong', "\n";
$released->release();
?>
--EXPECT--
destroy 2
resource 2 is gone
NULL
handle in use: 1
destroy 1
resource 1 is gone
stale
