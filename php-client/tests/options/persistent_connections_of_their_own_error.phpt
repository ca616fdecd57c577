--TEST--
persistent: a factory that gives two slots one connection, or one slot several, is refused and said of once; what others have stays open
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

ini_set('log_errors', '1');
ini_set('error_log', $log = tempnam('/tmp', 'oxpool'));
$open = fn (string|bool $key) => new PDO('sqlite::memory:', null, null, [PDO::ATTR_PERSISTENT => $key]);
$pool = new Pool(fn () => $open(true), name: $name = fresh_name('shared'), persistent: true, maxSize: 3);
$first = $pool->acquire();
$first->get()->exec('CREATE TABLE mine (n)');
for ($i = 0; $i < 2; $i++) {
    echo str_replace($name, 'NAME', thrown(fn () => $pool->acquire())), "\n";
}
echo counts($pool), "\n";
$first->get()->exec('INSERT INTO mine VALUES (1)');

$kept = null;
$two = new Pool(function (string $slot) use ($open, &$kept) {
    $kept = $open("$slot more");
    return $open($slot);
}, name: $name = fresh_name('two'), persistent: true, maxSize: 3);
echo str_replace($name, 'NAME', thrown(fn () => $two->acquire())), "\n";
echo substr_count(file_get_contents($log), 'was open before'), " time(s) said\n";
unlink($log);
?>
--EXPECT--
OxPHP\Shared\TypeException: pool 'NAME': the factory gave this slot a connection that was open before, so that two would share it; it must open one for each slot: make the slot's key, which it gets as its first parameter, part of what the connection is known by
OxPHP\Shared\TypeException: pool 'NAME': the factory gave this slot a connection that was open before, so that two would share it; it must open one for each slot: make the slot's key, which it gets as its first parameter, part of what the connection is known by
in use 1, idle 0, waiting 0, max 3
OxPHP\Shared\TypeException: pool 'NAME': the factory opened several connections for one slot, which counts as one
1 time(s) said
