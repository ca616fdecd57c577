--TEST--
Of one sentence about one pool the error log gets three a minute
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$log = new ErrorLog();
$pool = thing_pool();
$other = thing_pool();
for ($i = 0; $i < 20; ++$i) {
    $pool->getObj();
    $object = $pool->getObj();
    $object->on['objectRestore'] = fn () => throw new DomainException("restore $i");
    $pool->recycleObj($object);
    $other->getObj();
}
foreach (['dropped', 'objectRestore'] as $word) {
    echo "$word: ", count(preg_grep("/$word/", $log->lines())), "\n";
}
?>
--EXPECT--
dropped: 6
objectRestore: 3
