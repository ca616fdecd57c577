--TEST--
Mutexes can not be cloned, serialized, unserialized, extended, constructed twice or given properties; they show no value
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('secret', fresh_name('no copies'));
echo thrown(fn () => clone $mutex), "\n", thrown(fn () => serialize($mutex)), "\n", thrown(fn () => serialize([$mutex])), "\n";
echo thrown(fn () => unserialize('O:18:"OxPHP\\Shared\\Mutex":0:{}')), "\n";
echo thrown(fn () => $mutex->property = 1), "\n", thrown(fn () => $mutex->__construct()), "\n";
var_dump((new ReflectionClass($mutex))->isFinal());
echo thrown(fn () => (new ReflectionClass($mutex))->newInstanceWithoutConstructor()), "\n";
var_dump($mutex == new Mutex(null, $mutex->name()), $mutex == $mutex);
$shown = print_r($mutex, true) . var_export($mutex, true) . json_encode($mutex);
var_dump(str_contains($shown, 'secret'), str_contains($shown, $mutex->name()));
echo Mutex::CORRUPT, ' ', Mutex::RECOVER, "\n";
?>
--EXPECT--
OxPHP\Shared\SharedException: OxPHP\Shared\Mutex can not be cloned
OxPHP\Shared\SharedException: OxPHP\Shared\Mutex can not be serialized
OxPHP\Shared\SharedException: OxPHP\Shared\Mutex can not be serialized
OxPHP\Shared\SharedException: OxPHP\Shared\Mutex can not be unserialized
Error: Cannot create dynamic property OxPHP\Shared\Mutex::$property
OxPHP\Shared\SharedException: the mutex's constructor was called a second time
bool(true)
ReflectionException: Class OxPHP\Shared\Mutex is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(false)
bool(true)
bool(false)
bool(true)
corrupt recover
