--TEST--
A destroyed pool gives nothing; what comes back is closed, its unit is free, then recycleObj() throws
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
$pool = thing_pool(['name' => $name = fresh_name('gone')]);
$watch = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: $name, maxSize: 2, idleTimeoutMs: 0);
$one = $pool->getObj();
$two = $pool->getObj();
$pool->destroy();
foreach (['getObj' => [], 'invoke' => [fn () => null], 'defer' => [], 'recycleObj' => [$one]] as $method => $arguments) {
    echo "$method: ", refused(fn () => $pool->$method(...$arguments)), "\n";
}
echo refused(fn () => $pool->recycleObj($one)), ', ', refused(fn () => $pool->recycleObj(new Thing())), "\n";
echo json_encode([$pool->unsetObj($two), $pool->unsetObj($two)]), ' ', counts($watch), "\n";
$pool->checkNow();

// Destroyed while an object is being made: it is closed, not handed out.
$pool->reset();
$pool->create = function () use ($pool) {
    $pool->destroy();
    return new Thing();
};
echo refused(fn () => $pool->getObj()), '; ', counts($watch), "\n", count($log->lines()), " lines in the log\n";
?>
--EXPECT--
  1 beforeUse
  2 beforeUse
getObj: EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
invoke: EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
defer: EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
recycleObj:   1 gc
EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed, EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
  2 gc
[true,false] in use 0, idle 0, waiting 0, max 2
  4 gc
EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed; in use 0, idle 0, waiting 0, max 2
0 lines in the log
