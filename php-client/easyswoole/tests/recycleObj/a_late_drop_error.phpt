--TEST--
What is dropped after its pool was destroyed, or is gone, frees its unit at once
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$log = new ErrorLog();
$name = fresh_name('late');
$pool = thing_pool(['name' => $name]);
$watch = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: $name, maxSize: 2, idleTimeoutMs: 0);
$object = $pool->getObj();
$pool->destroy();
echo counts($watch), "\n";
unset($object);
echo counts($watch), "\n";
$object = $pool->reset()->getObj();
unset($pool);
echo counts($watch), "\n";
unset($object);
echo counts($watch), "\n", count($log->lines()), "\n";
?>
--EXPECT--
in use 1, idle 0, waiting 0, max 2
in use 0, idle 0, waiting 0, max 2
in use 1, idle 0, waiting 0, max 2
in use 0, idle 0, waiting 0, max 2
0
