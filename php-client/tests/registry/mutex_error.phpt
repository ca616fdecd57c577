--TEST--
Bad names and factories of Registry::mutex() and global()
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$fresh = fresh_name('taken');
foreach (['mutex', 'global'] as $method) {
    $call = fn (string $name, mixed $factory) => preg_replace('/n{200,}/', 'n…', str_replace($fresh, 'KEY', thrown(fn () => Registry::$method($name, $factory))));
    foreach (['', str_repeat('n', 256), str_repeat('n', 10000), $fresh] as $name) {
        echo $call($name, fn () => 'a string'), "\n";
    }
    echo $call($fresh, fn () => new Mutex(0, 'another')), "\n";
    echo $call($fresh, fn () => throw new DomainException('the factory')), "\n";
    echo $call($fresh, fn () => Registry::$method($fresh, fn () => new Mutex())), "\n";
    echo $call($fresh, fn () => Registry::mutex($fresh, fn () => new Mutex())), "\n";
    echo $call($fresh, 'no such function'), "\n";
    $used = new Mutex('in use');
    echo $used->withLock(fn () => $call($fresh, fn () => $used)), "\n";
    // The key is still free.
    var_dump(in_array($fresh, Registry::keys(), true));
    Registry::remove('another');
}
echo value_of(Registry::mutex($fresh, fn () => new Mutex('free'))), "\n";
$pool = Registry::pool(fresh_name('pool'), fn () => new Pool(fn () => new stdClass()));
echo str_replace($pool->name(), 'POOL', thrown(fn () => Registry::mutex($pool->name(), fn () => new Mutex()))), "\n";
echo str_replace($fresh, 'KEY', thrown(fn () => Registry::pool($fresh, fn () => new Pool(fn () => new stdClass())))), "\n";
echo thrown(fn () => Registry::mutex('wrong', fn () => new Pool(fn () => new stdClass()))), "\n";
Registry::remove($fresh);
?>
--EXPECT--
InvalidArgumentException: OxPHP\Shared\Registry::mutex(): Argument #1 ($name) must not be empty
OxPHP\Shared\TypeException: OxPHP\Shared\Registry::mutex(): Argument #1 ($name) must be 1 to 255 bytes, 256 bytes given
OxPHP\Shared\TypeException: OxPHP\Shared\Registry::mutex(): Argument #1 ($name) must be 1 to 255 bytes, 10000 bytes given
OxPHP\Shared\TypeException: the registry's entry 'KEY': the factory returned string; it must return an OxPHP\Shared\Mutex
OxPHP\Shared\TypeException: the registry's entry 'KEY': the factory returned the mutex 'another', which has a name of its own
DomainException: the factory
OxPHP\Shared\DeadlockException: the registry's entry 'KEY': asked for while its own factory runs
OxPHP\Shared\DeadlockException: the registry's entry 'KEY': asked for while its own factory runs
TypeError: OxPHP\Shared\Registry::mutex(): Argument #2 ($factory) must be a valid callback, function "no such function" not found or invalid function name
OxPHP\Shared\TypeException: the registry's entry 'KEY': the factory returned a mutex whose closure runs; make it in the factory
bool(false)
InvalidArgumentException: OxPHP\Shared\Registry::global(): Argument #1 ($name) must not be empty
OxPHP\Shared\TypeException: OxPHP\Shared\Registry::global(): Argument #1 ($name) must be 1 to 255 bytes, 256 bytes given
OxPHP\Shared\TypeException: OxPHP\Shared\Registry::global(): Argument #1 ($name) must be 1 to 255 bytes, 10000 bytes given
OxPHP\Shared\TypeException: the registry's entry 'KEY': the factory returned string; it must return an OxPHP\Shared\Pool or OxPHP\Shared\Mutex
OxPHP\Shared\TypeException: the registry's entry 'KEY': the factory returned the mutex 'another', which has a name of its own
DomainException: the factory
OxPHP\Shared\DeadlockException: the registry's entry 'KEY': asked for while its own factory runs
OxPHP\Shared\DeadlockException: the registry's entry 'KEY': asked for while its own factory runs
TypeError: OxPHP\Shared\Registry::global(): Argument #2 ($factory) must be a valid callback, function "no such function" not found or invalid function name
OxPHP\Shared\TypeException: the registry's entry 'KEY': the factory returned a mutex whose closure runs; make it in the factory
bool(false)
free
OxPHP\Shared\TypeException: the registry's entry 'POOL': the name is a pool's
OxPHP\Shared\TypeException: the registry's entry 'KEY': the name is a mutex's
OxPHP\Shared\TypeException: the registry's entry 'wrong': the factory returned OxPHP\Shared\Pool; it must return an OxPHP\Shared\Mutex
