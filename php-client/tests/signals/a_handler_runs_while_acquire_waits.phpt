--TEST--
Asynchronous signal handlers run while acquire() waits; one that throws ends the wait; one that acquires for itself works
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';

pcntl_async_signals(true);
$name = fresh_name('signals');
$holder = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $handle = $pool->acquire();
    say("holds");
    while (hear() === "signal") {
        wait_until(fn () => $pool->stats()->waiting() === 1, "the wait");
        posix_kill($test, SIGUSR1);
    }
    $handle->release();
    say("released");
    hear();
', ['name' => $name, 'test' => getmypid()]);
$holder->expect('holds');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);

pcntl_signal(SIGUSR1, fn () => throw new DomainException('from the handler'));
$holder->tell('signal');
echo thrown(fn () => $pool->acquire()), "\n", counts($pool), "\n";
$holder->tell('signal');
echo thrown(fn () => $pool->acquireTimeout(60000)), "\n", counts($pool), "\n";

$other = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
pcntl_signal(SIGUSR1, function () use ($holder, $pool, $other) {
    echo 'in the handler: ', counts($pool), ', ', get_class($other->acquire()->get()), "\n";
    echo '  the same pool: ', strstr(thrown(fn () => $pool->acquireTimeout(10)), ':', true), "\n";
    $holder->tell('release');
});
$holder->tell('signal');
echo get_class($pool->acquire()->get()), "\n";
$holder->expect('released');
?>
--EXPECT--
DomainException: from the handler
in use 1, idle 0, waiting 0, max 1
DomainException: from the handler
in use 1, idle 0, waiting 0, max 1
in the handler: in use 1, idle 0, waiting 1, max 1, stdClass
  the same pool: OxPHP\Shared\OperationTimeoutException
stdClass
