--TEST--
exit() and a fatal error in a signal handler, and a time limit, end a wait; the place in the queue is given up
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('exit'));
$holder = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $mutex->withLock(function () { say("holds"); hear(); });
', ['name' => $mutex->name()]);
$holder->expect('holds');
$ends = ['exit(0);' => SIGUSR1, 'trigger_error("fatal", E_USER_ERROR);' => SIGUSR1, 'set_time_limit(60);' => SIGPROF];
foreach ($ends as $code => $signal) {
    $waiter = new Worker('
        ini_set("display_errors", "0");
        ini_set("log_errors", "0");
        pcntl_async_signals(true);
        ' . ($signal === SIGUSR1 ? 'pcntl_signal(SIGUSR1, function () { ' . $code . ' });' : $code) . '
        $mutex = new OxPHP\Shared\Mutex(null, $name);
        register_shutdown_function(function () { say("ends"); hear(); });
        say("waits");
        $mutex->withLock(fn () => 1);
    ', ['name' => $mutex->name()]);
    $waiter->expect('waits');
    wait_until($waiter->sleeps(...), 'the wait');
    $waiter->signal($signal);
    $waiter->expect('ends');
    $waiters[] = $waiter;
}
// Nobody who has left is waited for.
$holder->tell('let go');
echo $mutex->withLockTimeout(fn () => 'has it', 30000), "\n";
foreach ($waiters as $waiter) {
    $waiter->end();
}
?>
--EXPECT--
has it
