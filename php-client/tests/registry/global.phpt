--TEST--
Registry::global() is the pool or the mutex of that name, whichever it is
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = Registry::mutex(fresh_name('mutex'), fn () => new Mutex(5));
$pool = Registry::pool(fresh_name('pool'), fn () => new Pool(fn () => new stdClass(), maxSize: 2));
$no = fn () => print("the factory\n");
var_dump(Registry::global($mutex->name(), $no) === $mutex, Registry::global($pool->name(), $no) === $pool);
$other = new Worker('
    use OxPHP\Shared\{Mutex, Pool, Registry};
    say((string) Registry::global($mutex, fn () => say("the factory"))->withLock(fn ($value) => $value));
    // The callbacks of a pool are each worker\'s own.
    say((string) Registry::global($pool, fn () => new Pool(fn () => new stdClass(), maxSize: 2))->id());
    say(str_replace($pool, "POOL", thrown(fn () => Registry::global($pool, fn () => new Mutex()))));
    say(get_class(Registry::global($fresh, fn () => new Mutex())));
    
', ['mutex' => $mutex->name(), 'pool' => $pool->name(), 'fresh' => fresh_name('fresh')]);
$other->expect(['5', (string) $pool->id()]);
echo $other->rest();
$late = new Worker('
    use OxPHP\Shared\{Mutex, Pool, Registry};
    say(str_replace($pool, "POOL", thrown(fn () => Registry::global($pool, fn () => new Mutex()))));
', ['pool' => $pool->name()]);
echo $late->rest();
?>
--EXPECT--
bool(true)
bool(true)
nothing
OxPHP\Shared\Mutex
OxPHP\Shared\TypeException: mutex 'POOL': the name is a pool's
