--TEST--
What the closure leaves in its reference is the value for the next one, in this worker and in others
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('counter'));
echo $mutex->withLock(fn (int &$value) => ++$value), "\n";
$other = new Worker('
    $mutex = new OxPHP\Shared\Mutex(100, $name);
    say((string) $mutex->withLock(fn (int &$value) => ++$value));
    hear();
    say((string) $mutex->withLock(fn (int &$value) => ++$value));
', ['name' => $mutex->name()]);
$other->expect('2');
echo $mutex->withLock(fn (int &$value) => ++$value), "\n";
$other->tell('again');
$other->expect('4');
echo value_of($mutex), "\n";
// One that takes it by value only reads.
$mutex->withLock(function (int $value) {
    ++$value;
});
echo value_of($mutex), "\n";
// Of another type, or none at all.
$mutex->withLock(function (&$value) {
    $value = ['now' => 'an array'];
});
echo json_encode(value_of($mutex)), "\n";
$mutex->withLock(function (&$value) {
    unset($value);
});
echo json_encode(value_of($mutex)), "\n";
?>
--EXPECT--
1
3
4
4
{"now":"an array"}
{"now":"an array"}
