--TEST--
discard() closes the resource and frees its unit; what comes after is as after release()
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: fn () => new Resource(), destroy: function (Resource $r) { echo "destroy {$r->number}\n"; },
    maxSize: 1, name: fresh_name('discard'));
$handle = $pool->acquire();
$handle->discard();
$handle->discard();
$handle->release();
echo counts($pool), "\n", explode(':', thrown(fn () => $handle->get()))[0], "\n";
$handle = $pool->acquire();
$handle->release();
$handle->discard();
echo counts($pool), "\n";
?>
--EXPECT--
destroy 1
resource 1 is gone
in use 0, idle 0, waiting 0, max 1
OxPHP\Shared\StaleHandleException
in use 0, idle 1, waiting 0, max 1
destroy 2
resource 2 is gone
