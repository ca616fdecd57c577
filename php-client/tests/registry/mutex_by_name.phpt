--TEST--
Registry::mutex() makes the mutex of that name once on the host; who finds it there does not run the factory
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$name = fresh_name('by name');
$made = 0;
$factory = function () use (&$made) {
    ++$made;
    return new Mutex(['n' => 1]);
};
$mutex = Registry::mutex($name, $factory);
var_dump(Registry::mutex($name, $factory) === $mutex, $made, $mutex->name() === $name);
$other = new Worker('
    $mutex = OxPHP\Shared\Registry::mutex($name, fn () => say("the factory"));
    say($mutex->id() . " " . $mutex->withLock(fn (array &$value) => ++$value["n"]));
    $also = new OxPHP\Shared\Mutex(null, $name);
    var_dump($also->id() === $mutex->id());
    hear();
', ['name' => $name]);
$other->expect([$mutex->id() . ' 2', 'bool(true)']);
$other->end();
// It stays, with its value, when nobody has it.
$id = $mutex->id();
unset($mutex);
gc_collect_cycles();
$late = new Worker('
    $mutex = OxPHP\Shared\Registry::mutex($name, fn () => say("the factory"));
    say($mutex->id() . " " . $mutex->withLock(fn (array $value) => $value["n"]));
', ['name' => $name]);
$late->expect("$id 2");
// A factory may give the name itself.
$own = fresh_name('own');
echo Registry::mutex($own, fn () => new Mutex('own', $own))->withLock(fn ($value) => $value), "\n";
// One line that makes several mutexes: each begins with its own value, whoever else runs that line.
$make = fn (string $name, int $initial) => Registry::mutex($name, fn () => new Mutex($initial));
$nested = fn () => $make(fresh_name('two'), 2);
$one = Registry::mutex(fresh_name('one'), function () use ($make, &$two) {
    $mine = new Mutex(1);
    $two = $make(fresh_name('two'), 2);
    return $mine;
});
echo value_of($one), value_of($two), value_of($make(fresh_name('three'), 3)), "\n";
foreach ([$one, $two] as $mutex) {
    Registry::remove($mutex->name());
}
Registry::remove($name);
Registry::remove($own);
?>
--EXPECT--
bool(true)
int(1)
bool(true)
own
123
