--TEST--
remove() frees the name: old objects go on, the next creation has another id; other workers notice at their next call by name
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Pool, Registry};


$name = fresh_name('removed');
$make = fn () => new Pool(factory: fn () => new Resource(), maxSize: 1);
$old = Registry::pool($name, $make);
$handle = $old->acquire();
$other = new Worker('
    use OxPHP\Shared\{Pool, Registry};
    $get = fn () => Registry::pool($name, fn () => new Pool(factory: fn () => new stdClass(), maxSize: 1));
    $pool = $get();
    do {
        say((string) $get()->id() . " " . ($get() === $pool ? "the same" : "another one") . ", old " . $pool->id());
    } while (hear() !== null);
', ['name' => $name]);
$other->expect("{$old->id()} the same, old {$old->id()}");
var_dump(Registry::remove($name), Registry::remove($name));
echo counts($old), "\n";
$new = Registry::pool($name, $make);
var_dump($new->id() > $old->id(), $new !== $old, $new->name() === $old->name());
echo $new->with(fn (Resource $r) => $r->number), "\n";
$new->evict();
$other->tell('again');
$other->expect("{$new->id()} another one, old {$old->id()}");
$other->end();
echo $handle->get()->number, "\n";
$handle->release();
echo $old->with(fn (Resource $r) => $r->number), "\n";
var_dump(Registry::remove('never there ' . $name));
unset($handle, $old);
echo thrown(fn () => Registry::remove('')), "\n";
?>
--EXPECT--
bool(true)
bool(false)
in use 1, idle 0, waiting 0, max 1
bool(true)
bool(true)
bool(true)
2
resource 2 is gone
1
1
bool(false)
resource 1 is gone
InvalidArgumentException: OxPHP\Shared\Registry::remove(): Argument #1 ($name) must not be empty
