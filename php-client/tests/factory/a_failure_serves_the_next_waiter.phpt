--TEST--
A failed factory gives its unit to the next in the queue
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('fails here');
$pool = new OxPHP\Shared\Pool(factory: function () use (&$other, &$pool) {
    $other->tell('go');
    wait_until(fn () => $pool->stats()->waiting() === 1, 'the other to wait');
    throw new DomainException('fails here');
}, maxSize: 1, name: $name);
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    say("ready");
    hear();
    $handle = $pool->acquireTimeout(30000);
    say("has it");
    hear();
', ['name' => $name]);
$other->expect('ready');
echo thrown(fn () => $pool->acquire()), "\n";
$other->expect('has it');
echo counts($pool), "\n";
?>
--EXPECT--
DomainException: fails here
in use 1, idle 0, waiting 0, max 1
