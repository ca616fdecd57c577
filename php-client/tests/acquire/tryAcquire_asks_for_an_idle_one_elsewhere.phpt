--TEST--
A tryAcquire that finds only idle resources of others asks for one of them to be closed
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('asked for');
$owner = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $pool->with(fn () => null);
    say("idle");
    while (hear() === "tick") {
        say((string) $pool->tick());
    }
', ['name' => $name]);
$owner->expect('idle');
$owner->tell('tick');
$owner->expect('0');
usleep(50_000); // idle for long enough to be asked for
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
var_dump($pool->tryAcquire());
$owner->tell('tick');
// Nobody waits any more by now, so the flag may be void: asked anew until both meet.
$closed = (int) $owner->line();
wait_until(function () use ($pool, $owner, &$closed, &$handle) {
    $handle = $pool->tryAcquire();
    $owner->tell('tick');
    $closed += (int) $owner->line();
    return $handle !== null;
}, 'the unit');
echo "$closed closed, ", get_class($handle), "\n";
$owner->tell('end');
$owner->end();
?>
--EXPECT--
NULL
1 closed, OxPHP\Shared\Pool\Handle
