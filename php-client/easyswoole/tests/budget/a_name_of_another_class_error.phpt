--TEST--
A name that pools of another class have here is refused: their objects would be mixed up
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\MagicPool;

Thing::$isQuiet = true;
$name = fresh_name('things');
$pool = thing_pool(['name' => $name]);
$object = $pool->getObj();
$other = new MagicPool(fn () => new stdClass(), new Config(['name' => $name]));
echo refused(fn () => $other->getObj()), "\n";
$pool = $object = null;
$object = $other->getObj();
echo get_class($object), "\n";
?>
--EXPECT--
EasySwoole\Pool\Exception\Exception: the name '…' is taken by a pool of class ThingPool; EasySwoole\Pool\MagicPool needs another one
stdClass
