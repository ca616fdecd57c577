--TEST--
One name is one cap over all processes; without a name it is the class and the lowest free number
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\MagicPool;
use OxPHP\Shared\Registry;

Thing::$isQuiet = true;
$name = fresh_name('cap');
$code = 'require_once $support; Thing::$isQuiet = true;
    $pool = thing_pool(["maxObjectNum" => 3, "name" => $name]); $objects = [];
    try { for (;;) { $objects[] = $pool->getObj(0); } } catch (EasySwoole\Pool\Exception\PoolEmpty) { say(count($objects)); } hear();';
$with = ['name' => $name, 'support' => __DIR__ . '/../support.inc'];
$pool = thing_pool(['maxObjectNum' => 3, 'name' => $name]);
$one = $pool->getObj();
$worker = new Worker($code, $with);
$worker->expect('2');
$other = new Worker($code, $with);
$other->expect('0');
echo short_status($pool), "\n";

eval('namespace Fresh' . getmypid() . '; final class Pool extends \ThingPool {}');
$class = 'Fresh' . getmypid() . '\Pool';
$names = fn () => json_encode(array_values(preg_grep('/^Fresh' . getmypid() . '/', Registry::keys())));
$quiet = ['minObjectNum' => 0];
$first = new $class(new Config($quiet));
$second = new $class(new Config($quiet));
$objects = [$first->getObj(), $second->getObj()];
echo str_replace((string) getmypid(), '', $names()), "\n";
unset($first);
$third = new $class(new Config($quiet));
$objects[] = $third->getObj();
echo str_replace((string) getmypid(), '', $names()), "\n";
?>
--EXPECT--
created 3, in use 3, idle 0
["Fresh\\Pool #1","Fresh\\Pool #2"]
["Fresh\\Pool #1","Fresh\\Pool #2"]
