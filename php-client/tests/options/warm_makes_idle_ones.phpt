--TEST--
warm() makes idle resources here until the host has so many, within the cap
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('warm');
$pool = new Pool(factory: fn () => new Resource(), maxSize: 5, name: $name, minIdle: 2,
    destroy: function (Resource $r) { echo "destroy {$r->number}\n"; });
echo $pool->warm(), ' made for minIdle, ', counts($pool), "\n";
echo $pool->warm(), " more\n";
$handle = $pool->acquire();
echo $pool->warm(3), ' made: one in use counts, ', counts($pool), "\n";
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 5, name: $name);
    say($pool->warm(4) . " made there");
    say($pool->warm(100) . " up to the cap");
    hear();
', ['name' => $name]);
$other->expect(['1 made there', '1 up to the cap']);
echo $pool->warm(100), " when it is full\n";
$other->end();
echo $pool->warm(0), " for 0\n";
?>
--EXPECT--
2 made for minIdle, in use 0, idle 2, waiting 0, max 5
0 more
1 made: one in use counts, in use 1, idle 2, waiting 0, max 5
0 when it is full
0 for 0
destroy 3
resource 3 is gone
destroy 1
resource 1 is gone
destroy 2
resource 2 is gone
