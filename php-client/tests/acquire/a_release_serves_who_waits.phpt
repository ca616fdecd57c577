--TEST--
A resource that comes back while somebody waits is closed here, so that the waiter can make its own
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('handed over');
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
}, maxSize: 1, name: $name);
$handle = $pool->acquire();
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $pool->with(fn () => say("has it"));
    hear();
', ['name' => $name]);
wait_until(fn () => $pool->stats()->waiting() === 1, 'the other to wait');
$handle->release();
$other->expect('has it');
$other->end();
echo counts($pool), "\n";
?>
--EXPECT--
destroy 1
resource 1 is gone
in use 0, idle 0, waiting 0, max 1
