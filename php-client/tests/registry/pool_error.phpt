--TEST--
Bad names and factories of Registry::pool()
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Pool, Registry};


$pool = fn () => new Pool(fn () => new stdClass());
foreach (['', str_repeat('n', 256), 'fine'] as $name) {
    echo preg_replace('/n{200,}/', 'n…', thrown(fn () => Registry::pool($name, fn () => 'a string'))), "\n";
}
echo thrown(fn () => Registry::pool('key', fn () => new Pool(fn () => new stdClass(), name: 'another'))), "\n";
$used = $pool();
$used->warm(1);
echo thrown(fn () => Registry::pool('key', fn () => $used)), "\n";
echo thrown(fn () => Registry::pool('key', fn () => throw new DomainException('the factory'))), "\n";
echo thrown(fn () => Registry::pool('key', fn () => Registry::pool('key', $pool))), "\n";
echo thrown(fn () => Registry::pool('key', 'no such function')), "\n";
echo thrown(fn () => new Registry()), "\n";
var_dump(in_array('key', Registry::keys(), true));
// The key is still free.
echo Registry::pool('key', $pool)->name(), "\n";
var_dump(Registry::remove('key'));
?>
--EXPECT--
InvalidArgumentException: OxPHP\Shared\Registry::pool(): Argument #1 ($name) must not be empty
OxPHP\Shared\TypeException: OxPHP\Shared\Registry::pool(): Argument #1 ($name) must be 1 to 255 bytes, 256 bytes given
OxPHP\Shared\TypeException: the registry's entry 'fine': the factory returned string; it must return an OxPHP\Shared\Pool
OxPHP\Shared\TypeException: the registry's entry 'key': the factory returned the pool 'another', which has a name of its own
OxPHP\Shared\TypeException: the registry's entry 'key': the factory returned a pool that has resources already; make it in the factory, or give it its name when it is made
DomainException: the factory
OxPHP\Shared\DeadlockException: the registry's entry 'key': asked for while its own factory runs
TypeError: OxPHP\Shared\Registry::pool(): Argument #2 ($factory) must be a valid callback, function "no such function" not found or invalid function name
OxPHP\Shared\SharedException: OxPHP\Shared\Registry has static methods only and is not instantiated
bool(false)
key
bool(true)
