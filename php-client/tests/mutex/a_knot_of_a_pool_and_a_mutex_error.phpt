--TEST--
A ring over a pool and a mutex is found too
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(0, fresh_name('mutex'));
$name = fresh_name('pool');
$holder = new Worker('
    $pool = new OxPHP\Shared\Pool(fn () => new stdClass(), maxSize: 1, name: $name);
    $mutex = new OxPHP\Shared\Mutex(null, $mutex);
    say(thrown(fn () => $pool->with(function () use ($mutex) {
        say("holds");
        hear();
        $mutex->withLock(fn () => 1);
    })));
', ['name' => $name, 'mutex' => $mutex->name()]);
$holder->expect('holds');
$pool = new Pool(fn () => new stdClass(), maxSize: 1, name: $name);
$mine = thrown(fn () => $mutex->withLock(function () use ($holder, $pool) {
    $holder->tell('go on');
    wait_until($holder->sleeps(...), 'the wait');
    $pool->acquire();
}));
$said = [strtok($mine, ':'), strtok($holder->line(), ':')];
sort($said);
echo implode("\n", $said), "\n";
?>
--EXPECT--
OxPHP\Shared\DeadlockException
nothing
