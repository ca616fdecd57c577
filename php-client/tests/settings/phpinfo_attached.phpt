--TEST--
phpinfo() says that this worker is attached, and lists its pools
--FILE--
<?php
require __DIR__ . '/../support.inc';

$orders = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 5, name: fresh_name('orders'));
$cache = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 7, name: fresh_name('кэш'));
$handles = [$orders->acquire(), $orders->acquire(), $cache->acquire()];
$handles[0]->release();
echo str_replace(
    [ini_get('oxpool.runtime_dir'), "{$orders->name()} => {$orders->id()} => ", "{$cache->name()} => {$cache->id()} => "],
    ['DIRECTORY', 'ORDERS => ID => ', 'CACHE => ID => '],
    oxpool_info()
), "\n";
?>
--EXPECTF--
oxpool => enabled
Version => %d.%d.%d
Segment layout => %d.%d
Runtime directory => DIRECTORY
Namespace => %s
Daemon reachable => yes
This worker => attached to oxpoold

Pool of this worker => Id => In use here => Idle here => Max
CACHE => ID => 1 => 0 => 7
ORDERS => ID => 1 => 1 => 5

Directive => Local Value => Master Value
oxpool.connect_timeout_ms => 1000 => 1000
oxpool.namespace => no value => no value
oxpool.on_unavailable => error => error
oxpool.runtime_dir => DIRECTORY => DIRECTORY
