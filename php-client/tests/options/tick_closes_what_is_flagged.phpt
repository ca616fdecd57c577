--TEST--
tick() closes what is to be closed in all pools of this worker and returns how many
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$make = fn (int $ms) => new Pool(factory: fn () => new stdClass(), maxSize: 2, idleTimeoutMs: $ms, name: fresh_name("$ms"));
$pools = [$make(50), $make(60), $make(0)];
foreach ($pools as $pool) {
    $pool->warm(1);
}
echo $pools[2]->tick(), "\n";
$closed = 0;
wait_until(function () use ($pools, &$closed) { $closed += $pools[2]->tick(); return $closed === 2; }, 'both idle timeouts');
echo $closed, "\n";
?>
--EXPECT--
0
2
