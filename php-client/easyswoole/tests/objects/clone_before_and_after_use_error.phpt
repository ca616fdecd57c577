--TEST--
A pool can be cloned before its first use, Config and all; afterwards that throws
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\MagicPool;

$pool = new MagicPool(fn () => new stdClass(), new Config(['minObjectNum' => 0, 'maxObjectNum' => 1]));
$copy = clone $pool;
echo json_encode($copy->getConfig() === $pool->getConfig()), "\n";
$copy->getConfig()->setMaxObjectNum(2);
$objects = [$pool->getObj(0), $copy->getObj(0), $copy->getObj(0)];
echo short_status($pool), '; ', short_status($copy), "\n";
echo thrown(fn () => clone $pool), "\n";
$pool->destroy();
echo thrown(fn () => clone $pool), "\n";
?>
--EXPECT--
false
created 1, in use 1, idle 0; created 2, in use 2, idle 0
EasySwoole\Pool\Exception\Exception: pool cannot clone after init() call
EasySwoole\Pool\Exception\Exception: pool cannot clone after init() call
