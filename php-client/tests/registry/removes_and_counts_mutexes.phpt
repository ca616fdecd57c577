--TEST--
keys(), count(), memoryUsage() and remove() know of mutexes
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$count = Registry::count();
$bytes = Registry::memoryUsage();
$name = fresh_name('counted');
$mutex = new Mutex(null, $name);
$anonymous = new Mutex();
$handed = Registry::mutex("$name too", fn () => new Mutex());
var_dump(Registry::count() - $count, array_values(array_filter(Registry::keys(), fn ($key) => str_starts_with($key, $name))) === [$name, "$name too"]);
$with = Registry::memoryUsage();
var_dump($with > $bytes);
$mutex->withLock(function (&$value) {
    $value = str_repeat('x', 100_000);
});
var_dump(Registry::memoryUsage() - $with >= 100_000);
unset($anonymous);
var_dump(Registry::count() - $count);
var_dump(Registry::remove($name), Registry::remove($name), Registry::remove("$name too"));
unset($mutex, $handed);
var_dump(Registry::count() - $count, Registry::memoryUsage() - $bytes);
?>
--EXPECT--
int(3)
bool(true)
bool(true)
bool(true)
int(2)
bool(true)
bool(false)
bool(true)
int(0)
int(0)
