--TEST--
recycleObj() and unsetObj() take what is borrowed here, once; what is foreign or idle they refuse
--FILE--
<?php
require __DIR__ . '/../support.inc';

function is(ThingPool $pool, mixed $object): string
{
    return json_encode([$pool->isPoolObject($object), $pool->isInPool($object)]);
}
$pool = thing_pool();
$other = thing_pool();
echo 'before the first use: ', json_encode([$pool->recycleObj(new Thing()), $pool->unsetObj(new Thing()), is($pool, new Thing())]), "\n";
$object = $pool->getObj();
echo 'borrowed: ', is($pool, $object), ' elsewhere ', is($other, $object), "\n";
echo 'recycle ', json_encode($other->recycleObj($object)), ' ', json_encode($other->unsetObj($object)), ' ', json_encode($pool->recycleObj($object)), "\n";
echo 'idle: ', is($pool, $object), "\n";
echo 'again ', json_encode($pool->recycleObj($object)), ' ', json_encode($pool->unsetObj($object)), "\n";
$object = $pool->getObj();
echo 'unset ', json_encode($pool->unsetObj($object)), ' ', is($pool, $object), ' ', short_status($pool), "\n";
echo 'again ', json_encode($pool->recycleObj($object)), ' ', json_encode($pool->unsetObj($object)), "\n";
echo 'foreign ', json_encode(array_map(fn ($it) => [$pool->recycleObj($it), $pool->unsetObj($it), is($pool, $it)], [new Thing(), null, 'text', 5])), "\n";

// Given back while it is being restored: once is enough.
$object = $pool->getObj();
$object->on['objectRestore'] = function ($object) use ($pool) {
    echo '  within ', json_encode([$pool->recycleObj($object), $pool->unsetObj($object), $pool->isInPool($object)]), "\n";
};
echo json_encode($pool->recycleObj($object)), ' ', short_status($pool), "\n";
?>
--EXPECT--
before the first use: [false,false,"[false,false]"]
  4 beforeUse
borrowed: [true,false] elsewhere [false,false]
recycle false false   4 objectRestore
true
idle: [true,true]
again false false
  4 beforeUse
unset   4 gc
true [false,false] created 0, in use 0, idle 0
again false false
foreign [[false,false,"[false,false]"],[false,false,"[false,false]"],[false,false,"[false,false]"],[false,false,"[false,false]"]]
  6 beforeUse
  6 objectRestore
  within [false,false,true]
true created 1, in use 0, idle 1
  6 gc
