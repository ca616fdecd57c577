--TEST--
An object that keeps a pool whose callbacks keep the object is collected, with its idle resources destroyed
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Service
{
    public OxPHP\Shared\Pool $pool;

    public function __construct()
    {
        $this->pool = new OxPHP\Shared\Pool(
            factory: fn () => $this->make(),
            destroy: fn (Resource $r) => $this->close($r),
            maxSize: 2,
        );
    }

    private function make()
    {
        return new Resource();
    }

    private function close(Resource $r)
    {
        echo "close {$r->number}\n";
    }
}

$service = new Service();
$service->pool->with(fn () => null);
$watched = WeakReference::create($service->pool);
unset($service);
gc_collect_cycles();
gc_collect_cycles();
var_dump($watched->get());
// With a handle still out: when that is back, the rest goes too.
$service = new Service();
$handle = $service->pool->acquire();
$watched = WeakReference::create($service);
unset($service);
gc_collect_cycles();
echo $handle->get()->number, "\n";
$handle->release();
unset($handle);
gc_collect_cycles();
gc_collect_cycles();
var_dump($watched->get());
?>
--EXPECT--
close 1
resource 1 is gone
NULL
2
close 2
resource 2 is gone
NULL
