--TEST--
A resource that user code still has after it was closed is reported in the error log with the pool's name
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
$pool = new OxPHP\Shared\Pool(factory: fn () => new PDO('sqlite::memory:'), maxSize: 1, name: 'kept');
$handle = $pool->acquire();
$pdo = $handle->get();
$handle->discard();
echo count($log->lines()), ' ', counts($pool), "\n";
unset($pdo);
$statement = $pool->with(fn (PDO $pdo) => $pdo->query('SELECT 1'));
echo $pool->evict(), ' ', count($log->lines()), ' ', $statement->fetchColumn(), "\n";
unset($statement);
// A cycle of its own is nobody else's.
$loop = new OxPHP\Shared\Pool(factory: function () {
    $resource = new stdClass();
    $resource->self = $resource;
    $resource->closure = fn () => $resource;
    return $resource;
}, maxSize: 1, name: 'loop');
$loop->with(fn () => null);
echo $loop->evict(), ' ', count($log->lines()), "\n";
$pool->with(fn () => null);
echo $pool->evict(), ' ', count($log->lines()), "\n";
for ($i = 0; $i < 20; ++$i) {
    $handle = $pool->acquire();
    $pdo = $handle->get();
    $handle->discard();
}
echo count($log->lines()), " of 22 are said in a minute\n";
echo $log->lines()[0], "\n";
?>
--EXPECT--
1 in use 0, idle 0, waiting 0, max 1
1 2 1
1 2
1 2
3 of 22 are said in a minute
oxpool: pool 'kept': a resource was closed while other code still has it or something made from it; the pool does not count it any more
