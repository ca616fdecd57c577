--TEST--
get() after release() or discard() is a StaleHandleException
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 3);
$handle = $pool->acquire();
var_dump($handle->get() === $handle->get());
$handle->release();
echo thrown(fn () => $handle->get()), "\n";
$handle = $pool->acquire();
$handle->discard();
echo thrown(fn () => $handle->get()), "\n";
echo get_parent_class('OxPHP\Shared\StaleHandleException'), "\n";
?>
--EXPECT--
bool(true)
OxPHP\Shared\StaleHandleException: the handle's resource was given back, or belongs to the parent process
OxPHP\Shared\StaleHandleException: the handle's resource was given back, or belongs to the parent process
OxPHP\Shared\SharedException
