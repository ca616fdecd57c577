--TEST--
tryWithLock() runs the closure when the lock is free, and is a ContentionException when it is not
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(1, fresh_name('try'));
echo $mutex->tryWithLock(fn (&$value) => ++$value), "\n";
$holder = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $mutex->withLock(function (&$value) { ++$value; say("holds"); hear(); });
    say("free");
', ['name' => $mutex->name()]);
$holder->expect('holds');
echo str_replace($mutex->name(), 'NAME', thrown(fn () => $mutex->tryWithLock(fn () => 'ran'))), "\n";
var_dump(is_subclass_of(OxPHP\Shared\ContentionException::class, OxPHP\Async\AsyncException::class));
$holder->tell('go on');
$holder->expect('free');
echo $mutex->tryWithLock(fn ($value) => $value), "\n";
?>
--EXPECT--
2
OxPHP\Shared\ContentionException: mutex 'NAME': somebody has the lock
bool(true)
3
