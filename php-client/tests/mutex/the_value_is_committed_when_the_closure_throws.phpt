--TEST--
An exception passes through, what the closure left is committed, the lock is free
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(['hits' => 0], fresh_name('throws'));
echo thrown(fn () => $mutex->withLock(function (array &$value) {
    $value['hits'] = 7;
    throw new DomainException('from the closure');
})), "\n";
echo json_encode(value_of($mutex)), "\n";
// An error of a type is such an exception.
echo strstr(thrown(fn () => $mutex->tryWithLock(fn (int $value) => 1)), ':', true), "\n";
echo json_encode($mutex->tryWithLock(fn ($value) => $value)), "\n";
?>
--EXPECT--
DomainException: from the closure
{"hits":7}
TypeError
{"hits":7}
