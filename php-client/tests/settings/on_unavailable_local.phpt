--TEST--
With oxpool.on_unavailable=local pools work without a daemon, and one line in the error log says so
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 2, name: 'a');
$other = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 1, name: 'b');
$same = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 2, name: 'a');
var_dump($pool->id() === $same->id(), $pool->id() === $other->id());

$handles = [$pool->acquire(), $pool->acquire()];
var_dump($same->tryAcquire());
echo counts($pool), "\n";
echo preg_replace('/waited \d+/', 'waited N', thrown(fn () => $pool->acquireTimeout(20))), "\n";
echo preg_replace('/waited \d+/', 'waited N', thrown(fn () => $pool->acquire())), "\n";
$handles[0]->release();
$handles[1]->discard();
echo $pool->with(fn (Resource $r) => $r->number), "\n";
echo $other->with(fn (Resource $r) => $r->number), "\n";
echo $pool->evict(), "\n";
echo counts($pool), "\n";
echo implode("\n", $log->lines()), "\n";
?>
--EXPECTF--
bool(true)
bool(false)
NULL
in use 2, idle 0, waiting 0, max 2
OxPHP\Shared\OperationTimeoutException: pool 'a': no slot within 20 ms (in use 2, idle 0, minting 0, closing 0, waiting 0, max 2, waited N ms)
OxPHP\Shared\DeadlockException: pool 'a': every slot is held by this thread, which would wait for itself (in use 2, idle 0, minting 0, closing 0, waiting 0, max 2, waited N ms)
resource 2 is gone
1
3
resource 1 is gone
1
in use 0, idle 0, waiting 0, max 2
oxpool: oxpoold can not be reached (oxpoold at /nonexistent/oxpool/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?); pools and mutexes hold for this process and its forks only (oxpool.on_unavailable=local)
resource 3 is gone
