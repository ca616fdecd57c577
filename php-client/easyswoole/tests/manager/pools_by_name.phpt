--TEST--
Manager holds the pools of a process by name or class; resetAll() destroys them and keeps them registered
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\MagicPool;
use EasySwoole\Pool\Manager;
use OxPHP\Shared\Registry;

Thing::$isQuiet = true;
$manager = Manager::getInstance();
echo json_encode([$manager === Manager::getInstance(), $manager->get('none')]), "\n";
$config = new Config(['minObjectNum' => 0, 'intervalCheckTime' => 0]);
$pool = new ThingPool($config);
$name = fresh_name('service');
echo json_encode([$manager->register($pool, $name) === $manager, $manager->get($name) === $pool, Thing::$made]), "\n";
$classed = new MagicPool(fn () => new Thing());
$manager->register($classed);
echo json_encode($manager->get(MagicPool::class) === $classed), "\n";

$objects = [$pool->getObj()];
echo json_encode(in_array($name, Registry::keys(), true)), " the budget has the Manager's name\n";
// The same name for another pool: it takes the place, the old one goes on, with a budget of its own.
$second = new ThingPool($config);
$manager->register($second, $name);
$objects[] = $second->getObj();
echo json_encode([$manager->get($name) === $second, in_array("$name #2", Registry::keys(), true), $pool->status()['createdNum']]), "\n";
// A name of the Config, and a use before, stand above.
$named = thing_pool(['name' => $other = fresh_name('own')]);
$manager->register($named, fresh_name('unused'));
$objects[] = $named->getObj();
echo json_encode(in_array($other, Registry::keys(), true)), "\n";

$manager->resetAll();
echo refused(fn () => $second->getObj()), "\n", json_encode($manager->get($name) === $second), "\n";
$objects[] = $manager->get($name)->reset()->getObj();
echo get_class(end($objects)), "\n";
?>
--EXPECT--
[true,null]
[true,true,0]
true
true the budget has the Manager's name
[true,true,1]
true
EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
true
Thing
