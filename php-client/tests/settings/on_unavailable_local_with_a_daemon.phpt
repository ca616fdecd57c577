--TEST--
With oxpool.on_unavailable=local a daemon that is there is used, and nothing is logged
--INI--
oxpool.on_unavailable=local
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
$name = fresh_name('local with a daemon');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
$handle = $pool->acquire();
$worker = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    say(var_export($pool->tryAcquire(), true));
', ['name' => $name], '-d oxpool.on_unavailable=local');
echo $worker->line(), "\n";
var_dump($log->lines());
?>
--EXPECT--
NULL
array(0) {
}
