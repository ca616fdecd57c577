--TEST--
A time limit that passes while acquire() waits ends the script; the place in the queue is given up
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('time limit');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
$handle = $pool->acquire();
// Sleeping uses no CPU time, which is what the limit counts: the signal of its timer comes from here.
$waiter = new Worker('
    ini_set("display_errors", "0");
    ini_set("log_errors", "0");
    set_time_limit(60);
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    register_shutdown_function(function () { say(error_get_last()["message"]); hear(); });
    say("waits");
    $pool->acquire();
', ['name' => $name]);
$waiter->expect('waits');
wait_until(fn () => $pool->stats()->waiting() === 1, 'the wait');
$waiter->signal(SIGPROF);
echo $waiter->line(), "\n", counts($pool), "\n";
$waiter->end();
?>
--EXPECT--
Maximum execution time of 60 seconds exceeded
in use 1, idle 0, waiting 0, max 1
