--TEST--
acquire() waits without limit for a unit that another worker holds, and mints here once it has it
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('shared');
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 1, name: $name);
$handle = $pool->acquire();
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    say("attached " . $pool->id());
    $handle = $pool->acquire();
    say("has it");
    hear();
', ['name' => $name]);
$other->expect('attached ' . $pool->id());
wait_until(fn () => $pool->stats()->waiting() === 1, 'the other to wait');
echo counts($pool), "\n";
$handle->discard();
$other->expect('has it');
echo counts($pool), "\n";
var_dump($pool->tryAcquire());
$other->end();
echo "ended\n";
$pool->acquire();
?>
--EXPECT--
in use 1, idle 0, waiting 1, max 1
resource 1 is gone
in use 1, idle 0, waiting 0, max 1
NULL
ended
resource 2 is gone
