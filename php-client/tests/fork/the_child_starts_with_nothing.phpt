--TEST--
A forked child has nothing of its parent's: handles are stale, nothing is destroyed, the parent keeps what it has; the child can acquire
--EXTENSIONS--
pcntl
--INI--
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number} in the ", $GLOBALS['child'] ? 'child' : 'parent', "\n";
}, maxSize: 3);
$child = false;
$handle = $pool->acquire();
$resource = $handle->get();
$pool->acquire()->release();
if (pcntl_fork() === 0) {
    $child = true;
    echo thrown(fn () => $handle->get()), "\n";
    $handle->release();
    $handle->discard();
    unset($handle, $resource);
    echo counts($pool), "\n";
    echo 'the child makes ', $pool->with(fn ($r) => $r->number), "\n";
    var_dump($pool->tryAcquire() === null);
    echo "child ends\n";
    exit(0);
}
pcntl_wait($status);
echo pcntl_wexitstatus($status), "\n";
echo $handle->get()->number, ' ', $resource->number, "\n";
echo counts($pool), "\n";
$handle->release();
unset($resource);
echo $pool->evict(), "\n";
?>
--EXPECT--
OxPHP\Shared\StaleHandleException: the handle's resource was given back, or belongs to the parent process
in use 1, idle 1, waiting 0, max 3
the child makes 3
bool(false)
child ends
destroy 3 in the child
resource 3 is gone
0
1 1
in use 1, idle 1, waiting 0, max 3
destroy 1 in the parent
resource 1 is gone
destroy 2 in the parent
resource 2 is gone
2
