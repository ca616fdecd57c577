--TEST--
A pool whose class has a destructor of its own ends its timers and frees its name all the same
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\Runtime\Runtimes;

final class Own extends ThingPool
{
    public function __destruct()
    {
        echo "its own\n";
    }
}
Runtimes::use($runtime = new ManualRuntime());
Thing::$isQuiet = true;
for ($i = 0; $i < 2; ++$i) {
    $pool = new Own(new Config(['minObjectNum' => 0, 'intervalCheckTime' => 700]));
    $pool->invoke(fn () => null);
    echo $runtime->intervals(), ', streams ', count($runtime->watched), "\n";
    unset($pool);
    echo $runtime->intervals(), ', streams ', count($runtime->watched), "\n";
}
echo implode(', ', preg_grep('/^Own #/', OxPHP\Shared\Registry::keys())), "\n";
?>
--EXPECT--
5000 700, streams 1
its own
none, streams 0
5000 700, streams 1
its own
none, streams 0
Own #1
