--TEST--
reset runs at every release, also of a body that threw, before anybody else can have the resource; the handle is stale by then
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = null;
$pool = new Pool(
    factory: fn () => new Resource(),
    destroy: function (Resource $r) { echo "destroy {$r->number}\n"; },
    maxSize: 1,
    name: fresh_name('reset'),
    reset: function (Resource $r) use (&$pool, &$handle) {
        echo "reset {$r->number}, ", $pool->tryAcquire() === null ? 'nobody can have it' : 'too early', ', ',
            isset($handle) ? thrown(fn () => $handle->get()) : 'no handle', "\n";
    },
);
$handle = $pool->acquire();
$handle->release();
$handle = null;
echo $pool->with(fn (Resource $r) => "body has {$r->number}"), "\n";
echo thrown(fn () => $pool->with(fn () => throw new RangeException('the body'))), "\n";
echo counts($pool), "\n";
$handle = $pool->acquire();
$handle->discard();
$handle = null;
echo "discard closes without a reset\n";
$handle = $pool->acquire();
?>
--EXPECT--
reset 1, nobody can have it, OxPHP\Shared\StaleHandleException: the handle's resource was given back, or belongs to the parent process
reset 1, nobody can have it, no handle
body has 1
reset 1, nobody can have it, no handle
RangeException: the body
in use 0, idle 1, waiting 0, max 1
destroy 1
resource 1 is gone
discard closes without a reset
destroy 2
resource 2 is gone
