--TEST--
$ms is a positive int: nothing is converted to it, and it is checked first
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('ms'));
$call = fn (mixed ...$arguments) => thrown(fn () => $mutex->withLockTimeout(...$arguments));
foreach ([0, -1, 1.0, 0.5, NAN, '100', true, null, [], PHP_INT_MIN] as $ms) {
    echo $call(fn () => 1, $ms), "\n";
}
echo $call(fn () => 1), "\n", $call(), "\n";
echo $call('no such function', 0), "\n", $call('no such function', 1), "\n";
echo $mutex->withLock(fn () => $call(fn () => 1, 0)), "\n";
echo $mutex->withLockTimeout(fn () => 'the longest', PHP_INT_MAX), "\n";
echo $mutex->withLockTimeout(ms: 1, fn: fn () => 'by name'), "\n";
?>
--EXPECT--
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), 0 given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), -1 given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), float given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), float given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), float given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), string given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), bool given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), null given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), array given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), -9223372036854775808 given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), none given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), none given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), 0 given
TypeError: OxPHP\Shared\Mutex::withLockTimeout(): Argument #1 ($fn) must be a valid callback, function "no such function" not found or invalid function name
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::withLockTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), 0 given
the longest
by name
