--TEST--
A call by the worker that has the lock is a DeadlockException at once, by any method and object, also from another fiber
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('again'));
$same = new Mutex(null, $mutex->name());
$mutex->withLock(function (&$value) use ($mutex, $same) {
    foreach ([$mutex, $same] as $again) {
        echo str_replace($again->name(), 'NAME', thrown(fn () => $again->withLock(fn () => print("ran\n")))), "\n";
        echo strstr(thrown(fn () => $again->tryWithLock(fn () => print("ran\n"))), ':', true), "\n";
        echo strstr(thrown(fn () => $again->withLockTimeout(fn () => print("ran\n"), 60000)), ':', true), "\n";
    }
    $value = 1;
});
// All fibers of a worker are one holder.
$fiber = new Fiber(fn () => $mutex->withLock(function (&$value) {
    Fiber::suspend();
    return ++$value;
}));
$fiber->start();
echo strstr(thrown(fn () => $mutex->withLock(fn () => 1)), ':', true), "\n";
$fiber->resume();
echo $fiber->getReturn(), ' ', value_of($mutex), "\n";
// Several mutexes at a time are no ring.
$other = new Mutex(10, fresh_name('other'));
echo $mutex->withLock(fn (&$a) => $other->withLock(fn (&$b) => ++$a + ++$b)), "\n";
?>
--EXPECT--
OxPHP\Shared\DeadlockException: mutex 'NAME': this worker has the lock already and would wait for itself
OxPHP\Shared\DeadlockException
OxPHP\Shared\DeadlockException
OxPHP\Shared\DeadlockException: mutex 'NAME': this worker has the lock already and would wait for itself
OxPHP\Shared\DeadlockException
OxPHP\Shared\DeadlockException
OxPHP\Shared\DeadlockException
2 2
14
