--TEST--
A bad value throws an Exception that names its option, from array and setter alike, and changes nothing
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;

foreach ([
    ['minObjectNum' => 3, 'maxObjectNum' => 2],
    ['minObjectNum' => -1],
    ['minObjectNum' => 0, 'maxObjectNum' => 0],
    ['maxObjectNum' => 7],
    ['maxObjectNum' => 'many'],
    ['maxObjectNum' => 16.5],
    ['maxObjectNum' => null],
    ['intervalCheckBatchSize' => 0],
    ['intervalCheckTime' => []],
    ['getObjectTimeout' => 'soon'],
    ['getObjectTimeout' => NAN],
    ['waitLoadAverageTime' => true],
    ['maxWaiting' => -1],
    ['name' => ''],
    ['name' => str_repeat('x', 256)],
    ['name' => 5],
] as $bad) {
    echo thrown(fn () => new Config($bad)), "\n";
}

$config = new Config();
echo "setters:\n";
echo thrown(fn () => $config->setMaxObjectNum(7)), "\n";
echo thrown(fn () => $config->setMinObjectNum(17)), "\n";
echo thrown(fn () => $config->setIntervalCheckBatchSize(-1)), "\n";
echo thrown(fn () => $config->setIntervalCheckTime('often')), "\n";
echo thrown(fn () => $config->setMaxWaiting(-1)), "\n";
echo thrown(fn () => $config->setName('')), "\n";
echo thrown(fn () => $config->restore(['intervalCheckTime' => 1, 'maxObjectNum' => 0])), "\n";
echo thrown(fn () => $config->setMaxIdleTime(1)), "\n";
echo $config == new Config() ? "unchanged\n" : "changed: $config\n";

final class Upside extends Config
{
    protected int $maxObjectNum = 4;
}
echo thrown(fn () => new Upside()), "\n";
final class Unchecked extends Config
{
    protected int $maxObjectNum = 4;

    protected function initialize(): void
    {
    }
}
echo thrown(fn () => new ThingPool(new Unchecked())), "\n";
?>
--EXPECT--
EasySwoole\Pool\Exception\Exception: minObjectNum (3) must not be above maxObjectNum (2)
EasySwoole\Pool\Exception\Exception: minObjectNum must be at least 0, -1 given
EasySwoole\Pool\Exception\Exception: maxObjectNum must be at least 1, 0 given
EasySwoole\Pool\Exception\Exception: minObjectNum (8) must not be above maxObjectNum (7)
EasySwoole\Pool\Exception\Exception: maxObjectNum must be an integer, 'many' given
EasySwoole\Pool\Exception\Exception: maxObjectNum must be an integer, 16.5 given
EasySwoole\Pool\Exception\Exception: maxObjectNum must be an integer, null given
EasySwoole\Pool\Exception\Exception: interval check batch size must be positive
EasySwoole\Pool\Exception\Exception: intervalCheckTime must be an integer, array given
EasySwoole\Pool\Exception\Exception: getObjectTimeout must be a number, 'soon' given
EasySwoole\Pool\Exception\Exception: getObjectTimeout must be a number, NAN given
EasySwoole\Pool\Exception\Exception: waitLoadAverageTime must be a number, true given
EasySwoole\Pool\Exception\Exception: maxWaiting must be at least 0, -1 given
EasySwoole\Pool\Exception\Exception: name must be a string of 1 to 255 bytes, 0 bytes given
EasySwoole\Pool\Exception\Exception: name must be a string of 1 to 255 bytes, 256 bytes given
EasySwoole\Pool\Exception\Exception: name must be a string of 1 to 255 bytes, int given
setters:
EasySwoole\Pool\Exception\Exception: minObjectNum (8) must not be above maxObjectNum (7)
EasySwoole\Pool\Exception\Exception: minObjectNum (17) must not be above maxObjectNum (16)
EasySwoole\Pool\Exception\Exception: interval check batch size must be positive
EasySwoole\Pool\Exception\Exception: intervalCheckTime must be an integer, 'often' given
EasySwoole\Pool\Exception\Exception: maxWaiting must be at least 0, -1 given
EasySwoole\Pool\Exception\Exception: name must be a string of 1 to 255 bytes, 0 bytes given
EasySwoole\Pool\Exception\Exception: maxObjectNum must be at least 1, 0 given
Error: Call to undefined method EasySwoole\Pool\Config::setMaxIdleTime()
unchanged
EasySwoole\Pool\Exception\Exception: minObjectNum (8) must not be above maxObjectNum (4)
EasySwoole\Pool\Exception\Exception: minObjectNum (8) must not be above maxObjectNum (4)
