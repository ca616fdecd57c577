--TEST--
Units of a killed worker come back, and the one that waits gets one
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('killed');
$holder = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2, name: $name);
    $handles = [$pool->acquire(), $pool->acquire()];
    say("holds two");
    hear();
', ['name' => $name]);
$holder->expect('holds two');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2, name: $name);
var_dump($pool->tryAcquire());
$holder->signal(9);
$handle = $pool->acquireTimeout(30000);
echo get_class($handle), "\n";
wait_until(fn () => $pool->stats()->inUse() === 1, 'the other unit to come back');
echo counts($pool), "\n";
?>
--EXPECT--
NULL
OxPHP\Shared\Pool\Handle
in use 1, idle 0, waiting 0, max 2
