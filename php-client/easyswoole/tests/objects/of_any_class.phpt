--TEST--
Objects that don't implement ObjectInterface are pooled too, nothing is asked of them; MagicPool takes a callable
--FILE--
<?php
require __DIR__ . '/../support.inc';
use EasySwoole\Pool\Config;
use EasySwoole\Pool\MagicPool;

$pool = new MagicPool(fn (Config $config) => new ArrayObject($config->getExtraConf()), new Config([
    'extraConf' => ['endpoint' => 'service.example'], 'minObjectNum' => 0, 'maxObjectNum' => 2, 'name' => fresh_name('magic')]));
$object = $pool->getObj();
echo $object['endpoint'], ' ', json_encode([$pool->recycleObj($object), $pool->getObj() === $object, $pool->unsetObj($object)]), "\n";
$pool->keepMin(2);
(new ReflectionMethod($pool, 'intervalCheck'))->invoke($pool);
echo short_status($pool), ' ', $pool->invoke(fn (ArrayObject $it) => count($it)), "\n";
$default = new MagicPool(fn () => new stdClass());
echo $default->getConfig()->getMaxObjectNum(), "\n";
?>
--EXPECT--
service.example [true,true,true]
created 2, in use 0, idle 2 1
16
