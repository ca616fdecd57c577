--TEST--
Resources made together do not end together: each lives for 80 to 100 % of maxLifetimeMs
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$ends = [];
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 32, name: fresh_name('cohort'), idleTimeoutMs: 0,
    maxLifetimeMs: 2000, destroy: function () use (&$ends) { $ends[] = hrtime(true); });
$begin = hrtime(true);
$pool->warm(32);
$made = hrtime(true);
// A use at every turn notices the end of what is on top; tick() what the scheduler flags.
wait_until(function () use ($pool) { $pool->tick(); return $pool->stats()->idle() === 0; }, 'their ends');
$earliest = (min($ends) - $begin) / 1e6;
echo $earliest >= 1590 ? "none before its time\n" : "one after $earliest ms\n";
$spread = (max($ends) - min($ends)) / 1e6;
echo $spread >= 150 ? "spread\n" : "all within $spread ms\n";
?>
--EXPECT--
none before its time
spread
