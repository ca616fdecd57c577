--TEST--
Where easyswoole/spl is installed a Config is an SplBean
--FILE--
<?php
require __DIR__ . '/../support.inc';
require __DIR__ . '/../stand_in/spl_bean.inc';
use EasySwoole\Pool\Config;

$config = new Config(['maxObjectNum' => 9, 'name' => 'x']);
echo json_encode($config instanceof EasySwoole\Spl\SplBean), ' ', $config->getMaxObjectNum(), ' ', $config->getName(), "\n";
echo thrown(fn () => new Config(['maxObjectNum' => 'many'])), "\n";
?>
--EXPECT--
true 9 x
EasySwoole\Pool\Exception\Exception: maxObjectNum must be an integer, 'many' given
