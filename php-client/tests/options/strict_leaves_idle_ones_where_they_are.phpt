--TEST--
rebalance: strict: a waiter is not served by closing what idles elsewhere, and a busy owner keeps its resource
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('strict');
$code = '
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name, rebalance: $rebalance);
    $pool->with(fn () => null);
    say("idle");
    while (hear() !== "end") {
        $pool->tick();
        say("ticked");
    }
';
foreach (['strict' => 'OxPHP\Shared\OperationTimeoutException', 'handover' => 'nothing'] as $rebalance => $expected) {
    $name = fresh_name($rebalance);
    $owner = new Worker($code, ['name' => $name, 'rebalance' => $rebalance]);
    $owner->expect('idle');
    usleep(50_000); // idle for long enough to be asked for
    $pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name, rebalance: $rebalance);
    $waiter = new Worker('
        $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name, rebalance: $rebalance);
        say(explode(": ", thrown(fn () => $pool->acquireTimeout(600)))[0]);
    ', ['name' => $name, 'rebalance' => $rebalance]);
    wait_until(fn () => $pool->stats()->waiting() === 1 || $pool->stats()->inUse() === 1, 'the waiter');
    for ($i = 0; $i < 10; ++$i) {
        $owner->tell('tick');
        $owner->expect('ticked');
        usleep(10_000);
    }
    echo $rebalance, ': ', $waiter->line() === $expected ? 'as expected' : 'otherwise', "\n";
    $owner->tell('end');
    $owner->end();
    $waiter->end();
}
?>
--EXPECT--
strict: as expected
handover: as expected
