--TEST--
A holder that is killed: every later call is a CorruptedMutexException, in who waits too, until the name is removed and made again
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('committed', fresh_name('corrupted'));
$holder = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $mutex->withLock(function (&$value) { $value = "not committed"; say("holds"); hear(); });
', ['name' => $mutex->name()]);
$holder->expect('holds');
$waiter = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    say("waits");
    say(strstr(thrown(fn () => $mutex->withLock(fn () => 1)), ":", true));
', ['name' => $mutex->name()]);
$waiter->expect('waits');
wait_until($waiter->sleeps(...), 'the wait');
$holder->signal(9);
$waiter->expect('OxPHP\Shared\CorruptedMutexException');
echo str_replace($mutex->name(), 'NAME', thrown(fn () => $mutex->withLock(fn () => 1))), "\n";
echo strstr(thrown(fn () => $mutex->tryWithLock(fn () => 1)), ':', true), "\n";
echo strstr(thrown(fn () => $mutex->withLockTimeout(fn () => 1, 1000)), ':', true), "\n";
// A new object of the name is the same mutex.
$again = new Mutex('new', $mutex->name());
echo strstr(thrown(fn () => $again->tryWithLock(fn () => 1)), ':', true), "\n";
var_dump(Registry::remove($mutex->name()));
$replaced = Registry::mutex($mutex->name(), fn () => new Mutex('replaced'));
echo value_of($replaced), "\n";
echo strstr(thrown(fn () => $mutex->withLock(fn () => 1)), ':', true), "\n";
?>
--EXPECT--
OxPHP\Shared\CorruptedMutexException: mutex 'NAME': corrupted: a worker died while it had the lock; the value is as it was last committed; remove the name and create it again, or reset it (oxpoolctl mutex reset)
OxPHP\Shared\CorruptedMutexException
OxPHP\Shared\CorruptedMutexException
OxPHP\Shared\CorruptedMutexException
bool(true)
replaced
OxPHP\Shared\StaleHandleException
