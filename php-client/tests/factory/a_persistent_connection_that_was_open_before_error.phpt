--TEST--
A persistent connection is refused, too, when somebody had opened it before; the unit is back with the request
--EXTENSIONS--
pdo_sqlite
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

$connect = fn () => new PDO('sqlite::memory:', null, null, [PDO::ATTR_PERSISTENT => 'open before']);
$outside = $connect();
$pool = new Pool($connect, maxSize: 2, name: 'persistent');
echo explode(',', thrown(fn () => $pool->acquire()))[0], "\n";
echo explode(',', thrown(fn () => $pool->tryAcquire()))[0], "\n";
final class Own extends PDO
{
    public function getAttribute(int $attribute): mixed
    {
        throw new LogicException('not asked');
    }
}
$own = new Pool(fn () => new Own('sqlite::memory:'), maxSize: 1, name: 'own');
echo $own->with(fn (Own $pdo) => get_class($pdo)), "\n";
?>
--EXPECT--
OxPHP\Shared\TypeException: pool 'persistent': the factory opened a persistent connection
OxPHP\Shared\TypeException: pool 'persistent': the factory opened a persistent connection
Own
