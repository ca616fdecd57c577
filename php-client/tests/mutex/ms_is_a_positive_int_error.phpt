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
?
