--TEST--
wakeStream() stays the same while the daemon is killed and started again
--FILE--
<?php
require __DIR__ . '/../support.inc';

$daemon = new Daemon();
$worker = new Worker('
    $pool = new OxPHP\Shared\Pool(fn () => new stdClass(), maxSize: 1, name: "p");
    $stream = $pool->wakeStream();
    $pool->with(fn () => null);
    say("idle");
    // As a loop does it: nothing but what the stream asks for.
    while (true) {
        $read = [$stream];
        $none = null;
        if (stream_select($read, $none, $none, 30) !== 1) {
            say("not told");
            break;
        }
        if ($pool->tick() === 1) {
            say("closed");
            break;
        }
        usleep(1000);
    }
    hear();
', [], $daemon->options());
$worker->expect('idle');
$daemon->kill();
$daemon->start();
$waiter = new Worker('
    $pool = new OxPHP\Shared\Pool(fn () => new stdClass(), maxSize: 1, name: "p");
    $handle = $pool->acquireTimeout(30000);
    say("has it");
    hear();
', [], $daemon->options());
$worker->expect('closed');
$waiter->expect('has it');
echo "served\n";
?>
--EXPECT--
served
