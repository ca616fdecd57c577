--TEST--
Asynchronous signal handlers run while withLock() waits; one that throws ends the wait; one that uses mutexes works
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

pcntl_async_signals(true);
$mutex = new Mutex(0, fresh_name('signals'));
$holder = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $mutex->withLock(function () use ($test) {
        say("holds");
        while (hear() === "signal") {
            wait_until(fn () => preg_match("/\) S /", file_get_contents("/proc/$test/stat")) === 1, "the wait");
            posix_kill($test, SIGUSR1);
        }
    });
    say("free");
    hear();
', ['name' => $mutex->name(), 'test' => getmypid()]);
$holder->expect('holds');
pcntl_signal(SIGUSR1, fn () => throw new DomainException('from the handler'));
$holder->tell('signal');
echo thrown(fn () => $mutex->withLock(fn () => 1)), "\n";
$holder->tell('signal');
echo thrown(fn () => $mutex->withLockTimeout(fn () => 1, 60000)), "\n";
$other = new Mutex(41, fresh_name('other'));
pcntl_signal(SIGUSR1, function () use ($holder, $mutex, $other) {
    echo 'in the handler: ', $other->withLock(fn (&$value) => ++$value), "\n";
    echo 'the same one: ', strstr(thrown(fn () => $mutex->withLockTimeout(fn () => 1, 10)), ':', true), "\n";
    $holder->tell('let go');
});
$holder->tell('signal');
echo $mutex->withLock(fn () => 'has it'), "\n";
$holder->expect('free');
?>
--EXPECT--
DomainException: from the handler
DomainException: from the handler
in the handler: 42
the same one: OxPHP\Shared\DeadlockException
has it
