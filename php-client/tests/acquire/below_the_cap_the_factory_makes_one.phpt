--TEST--
With none idle and the cap not reached, each form of acquire makes a resource, and `new` makes none
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 3);
echo 'made ', Resource::$made, ', ', counts($pool), "\n";
$handles = [$pool->acquire(), $pool->tryAcquire(), $pool->acquireTimeout(100)];
echo 'made ', Resource::$made, ', ', counts($pool), "\n";
foreach ($handles as $handle) {
    echo get_class($handle), ' ', $handle->get()->number, "\n";
}
?>
--EXPECT--
made 0, in use 0, idle 0, waiting 0, max 3
made 3, in use 3, idle 0, waiting 0, max 3
OxPHP\Shared\Pool\Handle 1
OxPHP\Shared\Pool\Handle 2
OxPHP\Shared\Pool\Handle 3
resource 1 is gone
resource 2 is gone
resource 3 is gone
