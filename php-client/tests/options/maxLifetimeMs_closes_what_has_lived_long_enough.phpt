--TEST--
A resource is closed after its lifetime: at once when idle, at its release when in use, never while in use
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: fn () => new Resource(), maxSize: 4, name: fresh_name('mortal'), idleTimeoutMs: 0,
    maxLifetimeMs: 100, destroy: function (Resource $r) { echo "destroy {$r->number}\n"; });
$used = $pool->acquire();
$pool->warm(2);
wait_until(fn () => $pool->stats()->idle() === 0, 'the idle one to be closed');
echo counts($pool), "\n";
usleep(110_000);
$used->release();
echo counts($pool), "\n";
// Without the daemon's flag, too: it is not handed out any more.
$pool->warm(1);
usleep(110_000);
echo $pool->with(fn (Resource $r) => "a new one: {$r->number}"), "\n";
?>
--EXPECT--
destroy 2
resource 2 is gone
in use 1, idle 0, waiting 0, max 4
destroy 1
resource 1 is gone
in use 0, idle 0, waiting 0, max 4
destroy 3
resource 3 is gone
a new one: 4
destroy 4
resource 4 is gone
