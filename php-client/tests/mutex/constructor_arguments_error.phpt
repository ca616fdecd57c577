--TEST--
Bad arguments of the constructor; nothing is made
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$before = Registry::count();
foreach (['', str_repeat('n', 256), str_repeat('n', 10000)] as $name) {
    echo thrown(fn () => new Mutex(0, $name)), "\n";
}
foreach (['', 'Corrupt', 'neither'] as $on) {
    echo thrown(fn () => new Mutex(0, onOwnerDeath: $on)), "\n";
}
echo thrown(fn () => new Mutex(0, [])), "\n";
echo thrown(fn () => new Mutex(0, 'name', Mutex::CORRUPT, 1)), "\n";
$pool = new Pool(fn () => new stdClass(), name: fresh_name('a pool'));
echo str_replace($pool->name(), 'NAME', thrown(fn () => new Mutex(0, $pool->name()))), "\n";
$mutex = new Mutex(0, fresh_name('a mutex'));
echo str_replace($mutex->name(), 'NAME', thrown(fn () => new Pool(fn () => new stdClass(), name: $mutex->name()))), "\n";
echo Registry::count() - $before, "\n";
$longest = new Mutex(1, str_pad("\0\xff", 255, 'n'));
echo value_of($longest), ' ', strlen($longest->name()), "\n";
Registry::remove($longest->name());
?>
--EXPECT--
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #2 ($name) must be 1 to 255 bytes, 0 bytes given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #2 ($name) must be 1 to 255 bytes, 256 bytes given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #2 ($name) must be 1 to 255 bytes, 10000 bytes given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #3 ($onOwnerDeath) must be Mutex::CORRUPT or Mutex::RECOVER, '' given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #3 ($onOwnerDeath) must be Mutex::CORRUPT or Mutex::RECOVER, 'Corrupt' given
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #3 ($onOwnerDeath) must be Mutex::CORRUPT or Mutex::RECOVER, 'neither' given
TypeError: OxPHP\Shared\Mutex::__construct(): Argument #2 ($name) must be of type ?string, array given
ArgumentCountError: OxPHP\Shared\Mutex::__construct() expects at most 3 arguments, 4 given
OxPHP\Shared\TypeException: mutex 'NAME': the name is a pool's
OxPHP\Shared\TypeException: pool 'NAME': the name is a mutex's
2
1 255
