--TEST--
acquire() takes this worker's own idle resource, the most recently used one first
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 4);
$one = $pool->acquire();
$two = $pool->acquire();
$one->release();
$two->release();
echo $pool->acquire()->get()->number, "\n";
$two = $pool->acquire();
$one = $pool->acquire();
echo $two->get()->number, ' ', $one->get()->number, "\n";
$two->release();
$one->release();
echo $pool->tryAcquire()->get()->number, "\n";
echo $pool->acquireTimeout(1)->get()->number, "\n";
echo 'made ', Resource::$made, "\n";
?>
--EXPECT--
2
2 1
1
1
made 2
resource 1 is gone
resource 2 is gone
