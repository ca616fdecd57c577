--TEST--
A resource that refers to its pool, or to its handle, is collected; its slot comes back
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('cycles');
$observer = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 4, name: $name . ' other');
$pool = new OxPHP\Shared\Pool(factory: fn () => (object) [], destroy: fn () => print("destroy\n"), maxSize: 4);
$pool->with(function ($resource) use ($pool) { $resource->pool = $pool; });
$watched = WeakReference::create($pool);
unset($pool);
gc_collect_cycles();
gc_collect_cycles();
var_dump($watched->get());
$pool = new OxPHP\Shared\Pool(factory: fn () => (object) [], destroy: fn () => print("destroy\n"), maxSize: 4);
$handle = $pool->acquire();
$handle->get()->handle = $handle;
unset($handle);
gc_collect_cycles();
echo counts($pool), "\n";
$again = $pool->acquire();
var_dump($again->get());
$again->get()->handle = null;
?>
--EXPECTF--
destroy
NULL
in use 0, idle 1, waiting 0, max 4
object(stdClass)#%d (1) {
  ["handle"]=>
  object(OxPHP\Shared\Pool\Handle)#%d (1) {
    ["inUse"]=>
    bool(false)
  }
}
destroy
