--TEST--
Mutexes in a value are kept by their names, and are those mutexes in another worker
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$inner = new Mutex(5, fresh_name('inner'));
$outer = new Mutex(['first' => $inner, 'n' => 0], fresh_name('outer'));
$other = new Worker('
    $outer = new OxPHP\Shared\Mutex(null, $name);
    say((string) $outer->withLock(function (array &$value) {
        ++$value["n"];
        return $value["first"]->id() . " " . $value["first"]->withLock(fn (int &$n) => ++$n);
    }));
    hear();
', ['name' => $outer->name()]);
$other->expect($inner->id() . ' 6');
echo value_of($inner), ' ', value_of($outer)['n'], "\n";
var_dump(value_of($outer)['first']->name() === $inner->name());
// Itself, too; and one that is gone is stale once it is used.
$outer->withLock(function (array &$value) use ($outer) {
    $value['itself'] = $outer;
});
echo strstr(thrown(fn () => $outer->withLock(fn ($value) => $value['itself']->withLock(fn () => 1))), ':', true), "\n";
$outer->withLock(function (array &$value) {
    unset($value['itself']);
});
Registry::remove($inner->name());
$left = value_of($outer)['first'];
echo strstr(thrown(fn () => $left->id()), ':', true), "\n";
?>
--EXPECT--
6 1
bool(true)
OxPHP\Shared\DeadlockException
OxPHP\Shared\StaleHandleException
