--TEST--
Scalars, null, shared objects, and arrays of those are returned as they are
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(['a' => 1], fresh_name('returns'));
$pool = new Pool(fn () => new stdClass());
foreach ([null, true, 1, 1.5, "text\0", [], [1, ['two' => null]]] as $result) {
    var_dump($mutex->withLock(fn () => $result) === $result);
}
var_dump($mutex->withLock(fn () => $pool) === $pool, $mutex->withLock(fn () => $mutex) === $mutex);
var_dump($mutex->withLock(fn () => ['deep' => [$pool, $mutex]])['deep'] === [$pool, $mutex]);
var_dump($mutex->withLock(fn (&$value) => $value), $mutex->withLock(function () {
}));
var_dump($mutex->withLock(function &(&$value) {
    return $value['a'];
}));
final class Calls
{
    public function __call(string $name, array $arguments): string
    {
        return "$name " . json_encode($arguments);
    }

    public static function plus(int &$value): int
    {
        return $value += 10;
    }
}
echo $mutex->withLock([new Calls(), 'anything']), "\n";
$number = new Mutex(1, fresh_name('number'));
echo $number->withLock('Calls::plus'), ' ', $number->withLock(Calls::plus(...)), ' ', $number->withLock(abs(...)), "\n";
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(1) {
  ["a"]=>
  int(1)
}
NULL
int(1)
anything [{"a":1}]
11 21 21
