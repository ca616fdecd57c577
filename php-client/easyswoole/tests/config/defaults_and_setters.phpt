--TEST--
A Config has the package's defaults; array and setters fill it, and setters chain
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;

echo json_encode(new Config()), "\n";
$config = new Config(['minObjectNum' => 0, 'maxObjectNum' => 4, 'unknown' => 1]);
$config->setIntervalCheckBatchSize(2)->setIntervalCheckTime(1000)->setGetObjectTimeout(0.5)->setWaitLoadAverageTime(0)
    ->setExtraConf(['endpoint' => 'service.example'])->setMinObjectNum(1)->setMaxObjectNum(6)->setMaxWaiting(9)->setName('orders');
echo $config, "\n";
foreach (['MinObjectNum', 'MaxObjectNum', 'IntervalCheckBatchSize', 'IntervalCheckTime', 'GetObjectTimeout', 'WaitLoadAverageTime',
    'ExtraConf', 'MaxWaiting', 'Name'] as $option) {
    echo $option, ' ', json_encode($config->{"get$option"}()), "\n";
}

echo "one object: ", json_encode((new Config(['minObjectNum' => 1, 'maxObjectNum' => 1]))->toArray()), "\n";
echo "lower the minimum first: ", (new Config())->setMinObjectNum(1)->setMaxObjectNum(1)->getMaxObjectNum(), "\n";
echo "numbers from a file: ", json_encode(new Config(['maxObjectNum' => '32', 'getObjectTimeout' => '0.25', 'intervalCheckTime' => '-1'])), "\n";
echo "no check: ", (new Config())->setIntervalCheckTime(-5)->getIntervalCheckTime(), "\n";

final class DbConfig extends Config
{
    protected string $host = 'localhost';
    protected int $port = 3306;
    protected int $maxObjectNum = 12;
    public ?string $user = null;
}
$config = new DbConfig(['host' => 'db', 'port' => '3307', 'minObjectNum' => 2, 'secret' => 'x']);
echo "a subclass: ", json_encode($config->toArray(Config::FILTER_NOT_NULL)), ' ', $config->getProperty('host'), ' ',
    json_encode($config->getProperty('secret')), "\n";
?>
--EXPECT--
{"intervalCheckTime":5000,"maxObjectNum":16,"intervalCheckBatchSize":8,"minObjectNum":8,"getObjectTimeout":3,"waitLoadAverageTime":0.001,"extraConf":null,"maxWaiting":null,"name":null}
{"intervalCheckTime":1000,"maxObjectNum":6,"intervalCheckBatchSize":2,"minObjectNum":1,"getObjectTimeout":0.5,"waitLoadAverageTime":0,"extraConf":{"endpoint":"service.example"},"maxWaiting":9,"name":"orders"}
MinObjectNum 1
MaxObjectNum 6
IntervalCheckBatchSize 2
IntervalCheckTime 1000
GetObjectTimeout 0.5
WaitLoadAverageTime 0
ExtraConf {"endpoint":"service.example"}
MaxWaiting 9
Name "orders"
one object: {"intervalCheckTime":5000,"maxObjectNum":1,"intervalCheckBatchSize":8,"minObjectNum":1,"getObjectTimeout":3,"waitLoadAverageTime":0.001,"extraConf":null,"maxWaiting":null,"name":null}
lower the minimum first: 1
numbers from a file: {"intervalCheckTime":-1,"maxObjectNum":32,"intervalCheckBatchSize":8,"minObjectNum":8,"getObjectTimeout":0.25,"waitLoadAverageTime":0.001,"extraConf":null,"maxWaiting":null,"name":null}
no check: -5
a subclass: {"host":"db","port":3307,"maxObjectNum":12,"intervalCheckTime":5000,"intervalCheckBatchSize":8,"minObjectNum":2,"getObjectTimeout":3,"waitLoadAverageTime":0.001} db null
