--TEST--
persistent: in a script it has no effect, which is said once; the factory gets the slot's key if it requires a parameter; what is closed is really closed
--EXTENSIONS--
pdo_sqlite
--INI--
error_log=
log_errors=1
display_errors=0
html_errors=0
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

ini_set('error_log', $log = tempnam('/tmp', 'oxpool'));
$keys = [];
$open = function (string $slot) use (&$keys) {
    $keys[] = $slot;
    return new PDO('sqlite::memory:', null, null, [PDO::ATTR_PERSISTENT => $slot]);
};
$pool = new Pool($open, name: fresh_name('persistent'), persistent: true, maxSize: 2);
$other = new Pool(fn () => new PDO('sqlite::memory:'), name: fresh_name('other'), persistent: true, maxSize: 1);
$pool->with(fn (PDO $pdo) => $pdo->exec('CREATE TABLE mine (n)'));
try {
    $pool->with(fn (PDO $pdo) => $pdo->exec('CREATE TABLE mine (n)'));
} catch (PDOException) {
    echo "the same connection\n";
}
$pool->evict();
$pool->with(fn (PDO $pdo) => $pdo->exec('CREATE TABLE mine (n)'));
$pool->acquire()->discard();
echo counts($pool), "\n";
$one = $pool->acquire();
$two = $pool->acquire();
$two->get()->exec('CREATE TABLE mine (n)');
$one->get()->exec('CREATE TABLE mine (n)');
echo count($keys), ' keys, ', count(array_unique($keys)), " different\n";
echo implode(',', array_map(fn ($key) => preg_match('/^oxpool:\d+:\d+$/', $key), $keys)), "\n";
echo $other->with(fn (PDO $pdo) => get_class($pdo)), "\n";
echo substr_count(file_get_contents($log), 'has no effect in a script'), " time(s) said\n";
unlink($log);
?>
--EXPECT--
the same connection
in use 0, idle 0, waiting 0, max 2
4 keys, 4 different
1,1,1,1
PDO
1 time(s) said
