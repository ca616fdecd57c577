--TEST--
A fiber that is dropped inside its closure commits nothing and frees the lock
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('old', fresh_name('dropped'));
$fiber = new Fiber(fn () => $mutex->withLock(function (&$value) {
    $value = 'new';
    Fiber::suspend();
}));
$fiber->start();
echo strstr(thrown(fn () => $mutex->tryWithLock(fn () => 1)), ':', true), "\n";
unset($fiber);
echo $mutex->tryWithLock(fn ($value) => $value), "\n";
// One that is left over at the end of the script.
$worker = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $fiber = new Fiber(fn () => $mutex->withLock(function (&$value) { $value = "new"; Fiber::suspend(); }));
    $fiber->start();
    say("suspended");
    ' . "\n", ['name' => $mutex->name()]);
$worker->expect('suspended');
$worker->end();
echo $mutex->withLock(fn ($value) => $value), "\n";
?>
--EXPECT--
OxPHP\Shared\DeadlockException
old
old
