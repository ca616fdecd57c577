--TEST--
A factory that returns something else than an object: TypeException at the acquire, and the unit is back
--FILE--
<?php
require __DIR__ . '/../support.inc';

$value = null;
$pool = new OxPHP\Shared\Pool(factory: function () use (&$value) { return $value; }, maxSize: 1, name: 'bad factory');
foreach ([null, 1, 'text', [new Resource()], STDIN, false] as $value) {
    echo thrown(fn () => $pool->acquire()), "\n";
    echo thrown(fn () => $pool->with(fn () => print('not reached'))), "\n";
}
echo thrown(fn () => $pool->tryAcquire()), "\n";
echo counts($pool), "\n";
$value = new stdClass();
var_dump($pool->acquire()->get() === $value);
?>
--EXPECT--
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned null; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned null; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned int; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned int; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned string; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned string; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned array; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned array; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned resource; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned resource; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned bool; it must return an object
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned bool; it must return an object
resource 1 is gone
OxPHP\Shared\TypeException: pool 'bad factory': the factory returned bool; it must return an object
in use 0, idle 0, waiting 0, max 1
bool(true)
