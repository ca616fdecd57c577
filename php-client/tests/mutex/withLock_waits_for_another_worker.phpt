--TEST--
withLock() and withLockTimeout() wait for another worker and see what it has committed
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('waits'));
foreach (['withLock(', 'withLockTimeout(ms: 60000, fn: '] as $call) {
    $waiter = new Worker('
        $mutex = new OxPHP\Shared\Mutex(null, $name);
        say("ready");
        hear();
        say((string) $mutex->' . $call . 'fn (&$value) => ++$value));
    ', ['name' => $mutex->name()]);
    $waiter->expect('ready');
    $mutex->withLock(function (&$value) use ($waiter) {
        $waiter->tell('wait');
        wait_until($waiter->sleeps(...), 'the wait');
        ++$value;
    });
    echo $waiter->line(), "\n";
    $waiter->end();
}
?>
--EXPECT--
2
4
