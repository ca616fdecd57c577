--TEST--
getObj() gives the idle object used last, else makes one, else waits; beforeUse() is asked each time, of new ones too
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = thing_pool();
echo "nothing is made before it is asked for: ", Thing::$made, "\n";
$one = $pool->getObj();
$two = $pool->getObj();
$pool->recycleObj($one);
$pool->recycleObj($two);
$object = $pool->getObj();
echo "the last one used: {$object->number}\n";
$pool->recycleObj($object);

// Waits for another process.
$pool = thing_pool(['maxObjectNum' => 1, 'name' => $name = fresh_name('shared')]);
$worker = new Worker('require_once $support;
    $pool = thing_pool(["maxObjectNum" => 1, "name" => $name]); Thing::$isQuiet = true;
    $object = $pool->getObj(); say("has it"); hear(); $pool->unsetObj($object); say("gave it"); hear();',
    ['name' => $name, 'support' => __DIR__ . '/../support.inc']);
$worker->expect('has it');
echo refused(fn () => $pool->getObj(0)), "\n";
$worker->tell('give it');
$object = $pool->getObj(30);
$worker->expect('gave it');
echo "got object {$object->number} of my own\n";
?>
--EXPECT--
nothing is made before it is asked for: 0
  1 beforeUse
  2 beforeUse
  1 objectRestore
  2 objectRestore
  2 beforeUse
the last one used: 2
  2 objectRestore
  2 gc
  1 gc
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: no object in time (timeout 0 s; in use 1, idle 0, waiting 0, max 1)
  3 beforeUse
got object 3 of my own
