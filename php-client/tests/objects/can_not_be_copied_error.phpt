--TEST--
Pools and handles can not be cloned, serialized, unserialized, extended, constructed twice or given properties
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

$pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: 'no copies');
$handle = $pool->acquire();
foreach ([$pool, $handle] as $object) {
    echo thrown(fn () => clone $object), "\n";
    echo thrown(fn () => serialize($object)), "\n";
    echo thrown(fn () => serialize([$object])), "\n";
    $class = get_class($object);
    echo thrown(fn () => unserialize('O:' . strlen($class) . ":\"$class\":0:{}")), "\n";
    echo thrown(fn () => $object->property = 1), "\n";
    var_dump((new ReflectionClass($object))->isFinal(), (new ReflectionClass($object))->isCloneable());
    echo thrown(fn () => (new ReflectionClass($object))->newInstanceWithoutConstructor()), "\n";
    var_dump($object == $object, $object == $pool->stats());
}
echo thrown(fn () => $pool->__construct(fn () => null)), "\n";
echo thrown(fn () => new Pool\Handle()), "\n";
echo thrown(fn () => new Pool\Stats()), "\n";
echo thrown(fn () => serialize($pool->stats())), "\n";
echo thrown(fn () => Pool::endRequest()), "\n";
echo counts($pool), "\n";
?>
--EXPECT--
OxPHP\Shared\SharedException: OxPHP\Shared\Pool can not be cloned
OxPHP\Shared\SharedException: OxPHP\Shared\Pool can not be serialized
OxPHP\Shared\SharedException: OxPHP\Shared\Pool can not be serialized
OxPHP\Shared\SharedException: OxPHP\Shared\Pool can not be unserialized
Error: Cannot create dynamic property OxPHP\Shared\Pool::$property
bool(true)
bool(true)
ReflectionException: Class OxPHP\Shared\Pool is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(true)
bool(false)
OxPHP\Shared\SharedException: OxPHP\Shared\Pool\Handle can not be cloned
OxPHP\Shared\SharedException: OxPHP\Shared\Pool\Handle can not be serialized
OxPHP\Shared\SharedException: OxPHP\Shared\Pool\Handle can not be serialized
OxPHP\Shared\SharedException: OxPHP\Shared\Pool\Handle can not be unserialized
Error: Cannot create dynamic property OxPHP\Shared\Pool\Handle::$property
bool(true)
bool(true)
ReflectionException: Class OxPHP\Shared\Pool\Handle is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(true)
bool(false)
OxPHP\Shared\SharedException: the pool's constructor was called a second time
Error: Call to private OxPHP\Shared\Pool\Handle::__construct() from global scope
Error: Call to private OxPHP\Shared\Pool\Stats::__construct() from global scope
Exception: Serialization of 'OxPHP\Shared\Pool\Stats' is not allowed
Error: Call to private method OxPHP\Shared\Pool::endRequest() from global scope
in use 1, idle 0, waiting 0, max 1
