--TEST--
withLockTimeout() past its deadline is an OperationTimeoutException, which is no SharedException; the closure is not run
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('times out'));
$holder = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $mutex->withLock(function () { say("holds"); hear(); });
', ['name' => $mutex->name()]);
$holder->expect('holds');
$began = hrtime(true);
echo preg_replace('/\d+ ms/', 'N ms', str_replace($mutex->name(), 'NAME', thrown(fn () => $mutex->withLockTimeout(fn () => print("ran\n"), 50)))), "\n";
var_dump(hrtime(true) - $began >= 50_000_000);
var_dump(is_subclass_of(OxPHP\Shared\OperationTimeoutException::class, OxPHP\Shared\SharedException::class));
$holder->tell('go on');
$holder->end();
echo $mutex->withLockTimeout(fn () => 'ran', 50), "\n";
?>
--EXPECT--
OxPHP\Shared\OperationTimeoutException: mutex 'NAME': the lock was not free within N ms
bool(true)
bool(false)
ran
