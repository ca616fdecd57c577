--TEST--
The largest int is a valid $ms
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
echo get_class($pool->acquireTimeout(PHP_INT_MAX)->get()), "\n";
echo $pool->withTimeout(fn ($resource) => get_class($resource), PHP_INT_MAX), "\n";
?>
--EXPECT--
stdClass
stdClass
