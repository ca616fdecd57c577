--TEST--
A worker that waits is served although the only unit sits idle in another worker, once that one calls its pool
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('idle elsewhere');
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 1, name: $name);
$pool->with(fn () => null);
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $handle = $pool->acquireTimeout(30000);
    say("has it");
    hear();
', ['name' => $name]);
// stats() is a call on the pool: it closes what was asked for.
wait_until(fn () => $pool->stats()->inUse() === 1, 'the hand-over');
$other->expect('has it');
echo "served\n";
?>
--EXPECT--
resource 1 is gone
served
