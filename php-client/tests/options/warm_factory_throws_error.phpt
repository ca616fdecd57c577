--TEST--
A factory that throws ends warm(); what was made before stays, and the unit is back
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: fn () => Resource::$made === 2 ? throw new DomainException('no third') : new Resource(),
    maxSize: 5, name: fresh_name('warm'));
echo thrown(fn () => $pool->warm(4)), "\n", counts($pool), "\n";
echo str_replace('OxPHP\Shared\Pool::', '', thrown(fn () => $pool->warm(-1))), "\n";
?>
--EXPECT--
DomainException: no third
in use 0, idle 2, waiting 0, max 5
OxPHP\Shared\TypeException: warm(): Argument #1 ($n) must be 0 or more, -1 given
resource 2 is gone
resource 1 is gone
