--TEST--
A fiber that is dropped while it is suspended in a factory, a body or a destroy: its unit is back
--FILE--
<?php
require __DIR__ . '/../support.inc';

$place = null;
$suspend_in = function (string $here) use (&$place) {
    if ($place === $here) {
        Fiber::suspend();
    }
};
$make = fn () => new OxPHP\Shared\Pool(factory: function () use ($suspend_in) {
    $suspend_in('factory');
    return new Resource();
}, destroy: function (Resource $r) use ($suspend_in) {
    echo "destroy {$r->number}\n";
    $suspend_in('destroy');
}, maxSize: 2);
$pool = $make();
foreach (['factory', 'body', 'destroy'] as $place) {
    $fiber = new Fiber(function () use ($pool, $suspend_in) {
        $handle = $pool->acquire();
        $suspend_in('body');
        $handle->discard();
        echo "not reached\n";
    });
    $fiber->start();
    $while = counts($pool);
    unset($fiber);
    gc_collect_cycles();
    echo "$place: $while | ", counts($pool), "\n";
}
$place = null;
echo $pool->evict(), "\n";
// And at the end of the script.
$place = 'body';
$left = new Fiber(function () use ($pool, $suspend_in) {
    $pool->with(fn () => $suspend_in('body'));
});
$left->start();
?>
--EXPECT--
factory: in use 0, idle 0, waiting 0, max 2 | in use 0, idle 0, waiting 0, max 2
body: in use 1, idle 0, waiting 0, max 2 | in use 0, idle 1, waiting 0, max 2
destroy 1
resource 1 is gone
destroy: in use 0, idle 0, waiting 0, max 2 | in use 0, idle 0, waiting 0, max 2
0
destroy 2
resource 2 is gone
