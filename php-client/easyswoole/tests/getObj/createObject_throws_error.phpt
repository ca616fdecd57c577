--TEST--
What createObject() throws getObj() throws at once and unchanged, whatever tryTimes is; the unit is free again
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

$pool = thing_pool(['maxObjectNum' => 1]);
$thrown = null;
$calls = 0;
$pool->create = function () use (&$thrown, &$calls) {
    ++$calls;
    throw $thrown;
};
$inner = new Pool(factory: fn () => new stdClass(), maxSize: 1);
$held = $inner->acquire();
$timeout = null;
try {
    $inner->acquireTimeout(1);
} catch (Throwable $timeout) {
}
foreach ([new DomainException('no such host'), new Error('bug'), $timeout] as $thrown) {
    try {
        $pool->getObj(1, 5);
    } catch (Throwable $e) {
        echo get_class($e), $e === $thrown ? ', the same' : ', another', '; ', short_status($pool), "\n";
    }
}
echo "$calls calls\n";
foreach ([null, 'a string', fopen('php://memory', 'r')] as $no_object) {
    $magic = new EasySwoole\Pool\MagicPool(fn () => $no_object);
    echo thrown(fn () => $magic->getObj()), '; ', short_status($magic), "\n";
}
$one = new stdClass();
$magic = new EasySwoole\Pool\MagicPool(fn () => $one);
$object = $magic->getObj();
echo thrown(fn () => $magic->getObj()), '; ', short_status($magic), "\n";

unset($pool->create);
$object = $pool->getObj(0);
echo get_class($object), "\n";
?>
--EXPECT--
DomainException, the same; created 0, in use 0, idle 0
Error, the same; created 0, in use 0, idle 0
OxPHP\Shared\OperationTimeoutException, the same; created 0, in use 0, idle 0
3 calls
EasySwoole\Pool\Exception\Exception: createObject() must return an object, null returned; created 0, in use 0, idle 0
EasySwoole\Pool\Exception\Exception: createObject() must return an object, string returned; created 0, in use 0, idle 0
EasySwoole\Pool\Exception\Exception: createObject() must return an object, resource (stream) returned; created 0, in use 0, idle 0
EasySwoole\Pool\Exception\Exception: createObject() returned an object that its pool has already; created 1, in use 1, idle 0
  1 beforeUse
Thing
