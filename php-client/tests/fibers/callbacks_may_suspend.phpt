--TEST--
Factory, body and destroy may suspend a fiber; other fibers use the pool meanwhile
--FILE--
<?php
require __DIR__ . '/../support.inc';

$suspend = false;
$pool = new OxPHP\Shared\Pool(factory: function () use (&$suspend) {
    if ($suspend) {
        Fiber::suspend('factory');
    }
    return new Resource();
}, destroy: function (Resource $r) use (&$suspend) {
    if ($suspend) {
        Fiber::suspend('destroy');
    }
    echo "destroy {$r->number}\n";
}, maxSize: 2);

$suspend = true;
$one = new Fiber(fn () => $pool->with(function ($r) {
    Fiber::suspend('body');
    return $r->number;
}));
echo $one->start(), ', ', counts($pool), "\n";
$suspend = false;
echo $pool->with(fn ($r) => $r->number), "\n";
echo $one->resume(), ', ', counts($pool), "\n";
$one->resume();
echo $one->getReturn(), ', ', counts($pool), "\n";
$suspend = true;
$two = new Fiber(fn () => $pool->evict());
echo $two->start(), ', ', counts($pool), "\n";
$suspend = false;
echo $pool->with(fn ($r) => $r->number), "\n";
$two->resume();
echo $two->getReturn(), ', ', counts($pool), "\n";
?>
--EXPECT--
factory, in use 0, idle 0, waiting 0, max 2
1
body, in use 1, idle 1, waiting 0, max 2
2, in use 0, idle 2, waiting 0, max 2
destroy, in use 0, idle 1, waiting 0, max 2
1
destroy 2
resource 2 is gone
destroy 1
resource 1 is gone
2, in use 0, idle 0, waiting 0, max 2
