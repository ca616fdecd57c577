--TEST--
A borrowed object that its borrower drops is noticed: its unit is free at the next call, and the error log says so
--FILE--
<?php
require __DIR__ . '/../support.inc';

#[AllowDynamicProperties]
final class Loud
{
    public function __destruct()
    {
        echo "  gone\n";
    }
}
$log = new ErrorLog();
$pool = new EasySwoole\Pool\MagicPool(fn () => new Loud(), new EasySwoole\Pool\Config([
    'minObjectNum' => 0, 'maxObjectNum' => 1, 'name' => fresh_name('dropped')]));
$object = $pool->getObj();
$number = spl_object_id($object);
unset($object);
echo short_status($pool), "\n";

// Its number is used again, and is not taken for it.
$impostor = [];
while (spl_object_id($impostor[] = new Loud()) !== $number && count($impostor) < 100) {
}
echo json_encode([spl_object_id(end($impostor)) === $number, $pool->isPoolObject(end($impostor)), $pool->recycleObj(end($impostor)),
    $pool->unsetObj(end($impostor))]), "\n";
$impostor = null;

// Also in a cycle, and when the next one would have to wait.
$object = $pool->getObj(0);
$object->self = $object;
unset($object);
gc_collect_cycles();
echo get_class($pool->getObj(0)), "\n";
echo preg_replace("/'[^']* \d+ \d+'/", "'…'", implode("\n", $log->lines())), "\n";
?>
--EXPECT--
  gone
created 0, in use 0, idle 0
[true,false,false,false]
  gone
  gone
  gone
  gone
  gone
  gone
Loud
oxpool: pool '…': an object was dropped by who had borrowed it, without recycleObj() or unsetObj(); its unit is free again
oxpool: pool '…': an object was dropped by who had borrowed it, without recycleObj() or unsetObj(); its unit is free again
