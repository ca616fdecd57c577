--TEST--
Two pools of one name and class in a process share budget and idle objects
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$log = new ErrorLog();
$name = fresh_name('twins');
$one = thing_pool(['name' => $name]);
$two = thing_pool(['name' => $name]);
$object = $one->getObj();
$one->recycleObj($object);
echo json_encode($two->getObj() === $object), "\n";
echo json_encode([$one->isPoolObject($object), $one->recycleObj($object), short_status($two)]), "\n";
unset($one);
echo json_encode([$two->getObj() === $object, $two->recycleObj($object)]), "\n";
echo count($log->lines()), "\n";
?>
--EXPECT--
true
[true,true,"created 1, in use 0, idle 1"]
[true,true]
0
