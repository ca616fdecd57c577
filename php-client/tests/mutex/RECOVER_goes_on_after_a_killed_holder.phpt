--TEST--
With onOwnerDeath: Mutex::RECOVER the next holder reads the last committed value and goes on
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(1, fresh_name('recovers'), Mutex::RECOVER);
foreach ([2, 3] as $expected) {
    $holder = new Worker('
        $mutex = new OxPHP\Shared\Mutex(null, $name);
        $mutex->withLock(function (&$value) { $value = "not committed"; say("holds"); hear(); });
    ', ['name' => $mutex->name()]);
    $holder->expect('holds');
    $waiter = new Worker('
        $mutex = new OxPHP\Shared\Mutex(null, $name);
        say("waits");
        say((string) $mutex->withLock(fn (&$value) => ++$value));
    ', ['name' => $mutex->name()]);
    $waiter->expect('waits');
    wait_until($waiter->sleeps(...), 'the wait');
    $holder->signal(9);
    $waiter->expect((string) $expected);
    echo value_of($mutex), "\n";
}
?>
--EXPECT--
2
3
