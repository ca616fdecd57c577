--TEST--
Registry::pool() makes a pool of that name once in a worker, and keeps it
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Pool, Registry};


$name = fresh_name('orders');
$made = 0;
$make = function () use (&$made) {
    ++$made;
    return new Pool(factory: fn () => new Resource(), maxSize: 3, destroy: function (Resource $r) { echo "destroy {$r->number}\n"; });
};
$get = fn () => Registry::pool($name, $make);
echo $get()->with(fn (Resource $r) => $r->number), $get()->with(fn (Resource $r) => $r->number), "\n";
var_dump($get() === $get(), $get()->name() === $name, $made);
// Another worker: its own closures, the same budget.
$other = new Worker('
    use OxPHP\Shared\{Pool, Registry};
    $pool = Registry::pool($name, fn () => new Pool(factory: fn () => new stdClass(), maxSize: 3));
    say((string) $pool->id());
    $handles = [$pool->acquire(), $pool->acquire()];
    say("has two");
    hear();
', ['name' => $name]);
$other->expect([(string) $get()->id(), 'has two']);
$handle = $get()->acquire();
var_dump($get()->tryAcquire());
$other->end();
// An object that was made with the option `name` is known, too.
$named = new Pool(factory: fn () => new stdClass(), name: $other = fresh_name('named'));
var_dump(Registry::pool($other, fn () => throw new LogicException('not run')) === $named);
unset($handle);
echo "the end\n";
?>
--EXPECT--
11
bool(true)
bool(true)
int(1)
NULL
bool(true)
the end
destroy 1
resource 1 is gone
