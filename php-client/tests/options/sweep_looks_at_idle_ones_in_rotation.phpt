--TEST--
sweep() looks at idle resources of this worker, at most the limit, in rotation, and closes what the check refuses
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: fn () => new Resource(), maxSize: 8, name: fresh_name('swept'),
    destroy: function (Resource $r) { echo "destroy {$r->number}\n"; });
for ($i = 1; $i <= 5; ++$i) { // each in a tick of its own of the coarse clock
    $pool->warm($i);
    usleep(12_000);
}
$seen = function (int $limit, callable $keep) use ($pool): string {
    $seen = [];
    $closed = $pool->sweep(function (Resource $r) use (&$seen, $keep): bool {
        $seen[] = $r->number;
        return $keep($r);
    }, $limit);
    return implode(' ', $seen) . ": $closed closed\n";
};
$all = fn () => true;
echo $seen(2, $all), $seen(2, $all), $seen(2, $all), $seen(100, $all);
echo $seen(3, fn (Resource $r) => $r->number !== 3);
echo counts($pool), "\n";
// What it looked at has kept its place and its age: the warmest is still the last one made.
echo $pool->with(fn (Resource $r) => $r->number), "\n";
$handle = $pool->acquire();
echo $seen(100, $all);
?>
--EXPECT--
1 2: 0 closed
3 4: 0 closed
5 1: 0 closed
2 3 4 5 1: 0 closed
destroy 3
resource 3 is gone
2 3 4: 1 closed
in use 0, idle 4, waiting 0, max 8
5
1 2 4: 0 closed
destroy 4
resource 4 is gone
destroy 2
resource 2 is gone
destroy 1
resource 1 is gone
destroy 5
resource 5 is gone
