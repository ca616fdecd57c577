--TEST--
The value of an anonymous mutex goes with its last object on the host; that of a named one stays until the name is removed
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$make = fn () => new Mutex('initial');
$mutex = $make();
$id = $mutex->id();
$mutex->withLock(function (&$value) {
    $value = 'changed';
});
unset($mutex);
$mutex = $make();
echo value_of($mutex), "\n";
var_dump($mutex->id() > $id);

$name = fresh_name('stays');
$worker = new Worker('
    $mutex = new OxPHP\Shared\Mutex("initial", $name);
    $mutex->withLock(function (&$value) { $value = "changed"; });
    say((string) $mutex->id());
', ['name' => $name]);
$id = (int) $worker->line();
$worker->end();
$mutex = new Mutex('ignored', $name);
echo value_of($mutex), "\n";
var_dump($mutex->id() === $id);
unset($mutex);
$mutex = new Mutex('ignored', $name);
echo value_of($mutex), "\n";
var_dump(Registry::remove($name));
$mutex = new Mutex('made anew', $name);
echo value_of($mutex), "\n";
Registry::remove($name);
?>
--EXPECT--
initial
bool(true)
changed
bool(true)
changed
bool(true)
made anew
