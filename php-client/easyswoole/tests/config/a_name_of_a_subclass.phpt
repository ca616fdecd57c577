--TEST--
A subclass may have a property and methods `name` of its own; they name the budgets of its pool class
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\MagicPool;

Thing::$isQuiet = true;
final class DbConfig extends Config
{
    protected string $name;

    public function getName(): string
    {
        return $this->name;
    }

    public function setName(string $name): void
    {
        $this->name = $name;
    }
}
$name = fresh_name('default');
$db = new DbConfig(['name' => $name]);
echo $db->getName() === $name ? 'its own name' : 'lost', ', ', count(array_keys($db->toArray(), $name, true)), " times\n";
$one = new MagicPool(fn () => new stdClass(), $db);
$object = $one->getObj();
echo in_array("EasySwoole\\Pool\\MagicPool $name", OxPHP\Shared\Registry::keys(), true) ? "named by class and name\n" : "not found\n";
echo thrown(fn () => (new ThingPool(new DbConfig(['name' => $name, 'minObjectNum' => 0])))->getObj()), "\n";
echo thrown(fn () => (new MagicPool(fn () => new stdClass(), new DbConfig()))->getObj()), "\n";
?>
--EXPECT--
its own name, 1 times
named by class and name
nothing
nothing
