--TEST--
Idle timeouts leave minIdle resources over the host, the most recently used ones, and make none in turn
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$closed = [];
$name = fresh_name('kept');
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 6, idleTimeoutMs: 50, name: $name, minIdle: 2,
    destroy: function (object $r) use (&$closed) { $closed[] = $r->number; });
$handles = [];
for ($i = 1; $i <= 5; ++$i) {
    $handles[$i] = $pool->acquire();
    $handles[$i]->get()->number = $i;
}
foreach ([1, 3, 5, 4, 2] as $i) { // 2 and 4 come back last
    $handles[$i]->release();
    usleep(10_000);
}
wait_until(fn () => $pool->stats()->idle() === 2, 'the others to be closed');
sort($closed);
echo implode(' ', $closed), " closed\n";
for ($i = 0; $i < 60; ++$i) {
    usleep(20_000);
    $pool->tick();
}
echo $pool->stats()->idle(), " idle more than a second later\n";
echo $pool->evict(), " evicted: that closes all\n";
?>
--EXPECT--
1 3 5 closed
2 idle more than a second later
2 evicted: that closes all
