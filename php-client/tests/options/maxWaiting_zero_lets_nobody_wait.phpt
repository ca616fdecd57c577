--TEST--
With maxWaiting 0 an acquire gets what is there or fails at once
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: 'nobody waits', maxWaiting: 0);
$handle = $pool->acquireTimeout(60_000);
echo preg_replace('/waited \d+/', 'waited N', thrown(fn () => $pool->acquireTimeout(60_000))), "\n";
var_dump($pool->tryAcquire());
$handle->release();
echo get_class($pool->acquireTimeout(60_000)), "\n";
?>
--EXPECT--
OxPHP\Shared\CapacityException: pool 'nobody waits': no more than maxWaiting 0 may wait (in use 1, idle 0, minting 0, closing 0, waiting 0, max 1, waited N ms)
NULL
OxPHP\Shared\Pool\Handle
