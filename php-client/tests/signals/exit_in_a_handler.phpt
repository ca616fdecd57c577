--TEST--
exit() in a signal handler while acquire() waits: the place in the queue is given up
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('exit');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
$handle = $pool->acquire();
foreach (['exit(0);', 'trigger_error("fatal", E_USER_ERROR);'] as $code) {
    $waiter = new Worker('
        ini_set("display_errors", "0");
        ini_set("log_errors", "0");
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () { ' . $code . ' });
        $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
        register_shutdown_function(function () use ($pool) { say("ends"); hear(); });
        say("waits");
        $pool->acquire();
    ', ['name' => $name]);
    $waiter->expect('waits');
    wait_until(fn () => $pool->stats()->waiting() === 1, 'the wait');
    $waiter->signal(SIGUSR1);
    $waiter->expect('ends');
    $waiter->end();
    echo counts($pool), "\n";
}
?>
--EXPECT--
in use 1, idle 0, waiting 0, max 1
in use 1, idle 0, waiting 0, max 1
