--TEST--
A closure that returns an object of its own: TypeException, and what it left by reference is committed
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('returns'));
final class Tells
{
    public function __destruct()
    {
        echo 'gone, ', strstr(thrown(fn () => $GLOBALS['mutex']->withLock(fn () => 1)), ':', true), "\n";
    }
}
$results = [
    fn () => new Tells(),
    fn () => fn () => 1,
    fn () => fopen('php://memory', 'r'),
    fn () => ['a' => [1, new DateTime()]],
    fn () => array_reduce(range(1, 128), fn ($inner) => [$inner], [1]),
];
foreach ($results as $result) {
    echo str_replace($mutex->name(), 'NAME', thrown(fn () => $mutex->withLock(function (&$value) use ($result) {
        ++$value;
        return $result();
    }))), "\n";
}
echo value_of($mutex), "\n";
// Both are refused: the value is what is told of.
echo str_replace($mutex->name(), 'NAME', thrown(fn () => $mutex->withLock(function (&$value) {
    return $value = new ArrayObject();
}))), "\n", value_of($mutex), "\n";
?>
--EXPECT--
gone, OxPHP\Shared\DeadlockException
OxPHP\Shared\TypeException: mutex 'NAME': what the closure returned is non-serialisable: an object of class Tells
OxPHP\Shared\TypeException: mutex 'NAME': what the closure returned is non-serialisable: a closure
OxPHP\Shared\TypeException: mutex 'NAME': what the closure returned is non-serialisable: a resource
OxPHP\Shared\TypeException: mutex 'NAME': what the closure returned is non-serialisable: an object of class DateTime at ['a'][1]
OxPHP\Shared\TypeException: mutex 'NAME': what the closure returned is non-serialisable: an array that contains itself or is nested too deep at [0][0][0][0][0][0][0][0][0][0][0][0]…
5
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: an object of class ArrayObject; it stays what it was
5
