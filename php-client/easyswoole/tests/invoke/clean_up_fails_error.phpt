--TEST--
The callback's result or exception wins over what goes wrong in cleaning up, which the error log has
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Stubborn extends ThingPool
{
    public function recycleObj($obj): bool
    {
        parent::recycleObj($obj);
        throw new LogicException('not now');
    }
}
Thing::$isQuiet = true;
$log = new ErrorLog();
errors_become_exceptions();
$spoil = function (Thing $thing) {
    $thing->on['objectRestore'] = fn () => throw new DomainException('restore');
    $thing->on['gc'] = fn () => throw new DomainException('gc');
};
$pool = thing_pool();
echo $pool->invoke(function ($thing) use ($spoil) {
    $spoil($thing);
    return 'result';
}), ', ', thrown(fn () => $pool->invoke(function ($thing) use ($spoil) {
    $spoil($thing);
    throw new RuntimeException('mine');
})), '; ', short_status($pool), "\n";
echo $pool->invoke(function () use ($pool) {
    $pool->destroy();
    return 'destroyed meanwhile';
}), '; ', short_status($pool), "\n";
$pool = new Stubborn(new EasySwoole\Pool\Config(['name' => fresh_name('stubborn'), 'minObjectNum' => 0]));
echo $pool->invoke(fn () => 'result'), ', ', thrown(fn () => $pool->invoke(fn () => throw new RuntimeException('mine'))), "\n";
echo preg_replace(["/'[^']* \d+ \d+'/", '~ in /.*~'], ["'…'", ''], implode("\n", $log->lines())), "\n";
?>
--EXPECT--
result, RuntimeException: mine; created 0, in use 0, idle 0
destroyed meanwhile; created 0, in use 0, idle 0
result, RuntimeException: mine
oxpool: pool '…': destroy threw: DomainException: gc
oxpool: pool '…': objectRestore() threw, and the object is closed: DomainException: restore
oxpool: pool '…': destroy threw: DomainException: gc
oxpool: pool '…': objectRestore() threw, and the object is closed: DomainException: restore
oxpool: pool '…': giving an object back after invoke() threw: EasySwoole\Pool\Exception\Exception: pool '…' is already destroyed
oxpool: pool '…': giving an object back after invoke() threw: LogicException: not now
oxpool: pool '…': giving an object back after invoke() threw: LogicException: not now
