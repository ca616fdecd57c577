--TEST--
A factory that opens a persistent connection is refused; the connection is closed when the request ends, and counts until then
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('persistent');
$code = '
    $key = null;
    $pool = new OxPHP\Shared\Pool(maxSize: 2, name: $name, factory: function () use (&$key) {
        say("factory");
        return new PDO("sqlite::memory:", null, null, [PDO::ATTR_PERSISTENT => "of " . getmypid()]);
    });
    say(str_replace($name, "NAME", thrown(fn () => $pool->acquire())));
    say(str_replace($name, "NAME", thrown(fn () => $pool->tryAcquire())));
    $stats = $pool->stats();
    say("size {$stats->size()}");
    $own = new OxPHP\Shared\Pool(maxSize: 2, factory: fn () => new PDO("sqlite::memory:"));
    say($own->with(fn (PDO $pdo) => get_class($pdo)));
    hear();
';
$worker = new Worker($code, ['name' => $name]);
$refused = "OxPHP\Shared\TypeException: pool 'NAME': the factory opened a persistent connection, which would stay open after its unit "
    . "is given back; open it without PDO::ATTR_PERSISTENT, 'p:', pg_pconnect() or pconnect(), or give the pool the option persistent: true";
$worker->expect(['factory', $refused, $refused, 'size 0', 'PDO']);
// Its connection is open, so one of the two units is taken.
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 2, name: $name);
$handle = $pool->tryAcquire();
var_dump($pool->tryAcquire());
$worker->end();
$second = $pool->acquireTimeout(10_000);
echo counts($pool), "\n";
?>
--EXPECT--
NULL
in use 2, idle 0, waiting 0, max 2
