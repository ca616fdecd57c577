--TEST--
More slots than a pool can have are a CapacityException
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

echo thrown(fn () => new Pool(fn () => new stdClass(), maxSize: 1_000_000, name: 'large')), "\n";
echo strstr(thrown(fn () => new Pool(fn () => new stdClass(), maxSize: PHP_INT_MAX, name: 'larger')), ':', true), "\n";
?>
--EXPECT--
OxPHP\Shared\CapacityException: pool 'large': capacity exceeded: maxSize 1000000 is more than the 8192 slots that a pool can have
OxPHP\Shared\CapacityException
