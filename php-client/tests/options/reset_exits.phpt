--TEST--
exit() inside reset ends the script; the resource is closed and its unit is back
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('reset exits');
$worker = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: fn ($r) => say("destroy {$r->number}"),
        maxSize: 1, name: $name, reset: function () { exit(3); });
    register_shutdown_function(fn () => say(counts($pool)));
    $pool->with(fn () => say("body"));
    say("not reached");
', ['name' => $name]);
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
$worker->expect(['body', 'destroy 1', 'resource 1 is gone', 'in use 0, idle 0, waiting 0, max 1']);
echo $worker->end(), "\n", get_class($pool->acquireTimeout(5000)), "\n";
?>
--EXPECT--
3
OxPHP\Shared\Pool\Handle
