--TEST--
At the end of the script every resource is destroyed, wherever its handle is held; the units are back
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('ends');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 8, name: $name);
$worker = new Worker('
    $n = 0;
    $pool = new OxPHP\Shared\Pool(factory: function () use (&$n) { return (object) ["number" => ++$n]; },
        destroy: fn ($r) => say("destroy {$r->number}"), maxSize: 8, name: $name);
    $global = $pool->acquire();
    $resource_too = $global->get();
    function keep($handle) { static $kept; $kept = $handle; }
    keep($pool->acquire());
    $cycle = new stdClass();
    $cycle->cycle = $cycle;
    $cycle->handle = $pool->acquire();
    unset($cycle);
    $idle = $pool->acquire();
    $idle->release();
    say("end");
', ['name' => $name]);
$worker->expect('end');
$lines = explode("\n", trim($worker->rest()));
sort($lines);
print_r($lines);
echo $worker->end(), ' ', counts($pool), "\n";
?>
--EXPECT--
Array
(
    [0] => destroy 1
    [1] => destroy 2
    [2] => destroy 3
    [3] => destroy 4
)
0 in use 0, idle 0, waiting 0, max 8
