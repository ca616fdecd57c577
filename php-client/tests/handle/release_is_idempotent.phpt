--TEST--
release() gives the resource back once; twice, or after discard(), it does nothing
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 3);
$handle = $pool->acquire();
$handle->release();
$handle->release();
$handle->discard();
echo counts($pool), "\n";
$other = $pool->acquire();
$handle->release();
echo counts($pool), "\n";
$other->discard();
$other->discard();
$other->release();
echo counts($pool), "\n";
?>
--EXPECT--
in use 0, idle 1, waiting 0, max 3
in use 1, idle 0, waiting 0, max 3
resource 1 is gone
in use 0, idle 0, waiting 0, max 3
