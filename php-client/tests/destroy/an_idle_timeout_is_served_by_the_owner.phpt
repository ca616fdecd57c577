--TEST--
A resource idle for longer than idleTimeoutMs is destroyed by its owner at the next call, and not before
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
}, maxSize: 2, idleTimeoutMs: 50);
$forever = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 2, idleTimeoutMs: 0);
$forever->with(fn () => null);
$pool->with(fn () => null);
$made = Resource::$made;
usleep(300_000);
echo "nothing so far\n";
wait_until(fn () => $pool->stats()->idle() === 0, 'the idle timeout');
echo $forever->stats()->idle(), "\n";
echo $pool->with(fn (Resource $r) => $r->number), "\n";
?>
--EXPECT--
nothing so far
destroy 2
resource 2 is gone
1
3
resource 1 is gone
destroy 3
resource 3 is gone
