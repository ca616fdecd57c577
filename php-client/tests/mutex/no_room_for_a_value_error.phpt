--TEST--
A segment without room: CapacityException, the old value stays, and what is smaller fits
--SKIPIF--
<?php
if (!is_executable((string) getenv('OXPOOL_BIN'))) {
    die('skip OXPOOL_BIN is not set to an oxpoold');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$daemon = new Daemon("[limits]\nvalue_bytes = 65536\nmutexes = 3\n");
$worker = new Worker('
    use OxPHP\Shared\{Mutex, Registry};
    $mutex = new Mutex("old", "full");
    $set = fn (int $bytes) => $mutex->withLock(function (&$value) use ($bytes) { $value = str_repeat("x", $bytes); });
    say(thrown(fn () => $set(100000)));
    say(value_of($mutex));
    say(thrown(fn () => $set(20000)));
    say(thrown(fn () => $set(25000)));
    say((string) strlen(value_of($mutex)));
    say(thrown(fn () => new Mutex(str_repeat("x", 60000), "another")));
    say(thrown(fn () => Registry::mutex("another", fn () => new Mutex(1))));
    say(thrown(fn () => new Mutex(0, "last")));
    say(thrown(fn () => new Mutex(0, "one too many")));
    say(implode(" ", Registry::keys()));
', [], $daemon->options());
echo $worker->rest();
$worker->end();
?>
--EXPECT--
OxPHP\Shared\CapacityException: mutex 'full': capacity exceeded: no room for the value; raise limits.value_bytes in oxpoold.toml
old
nothing
nothing
25000
OxPHP\Shared\CapacityException: mutex 'another': capacity exceeded: no room for an initial value of 60004 bytes; raise limits.value_bytes in oxpoold.toml
nothing
nothing
OxPHP\Shared\CapacityException: mutex 'one too many': capacity exceeded: all 3 mutex records are in use; raise limits.mutexes in oxpoold.toml
another full last
