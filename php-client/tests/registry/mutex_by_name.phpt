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
$code = tempnam(sys_get_temp_dir(), 'oxpool-mutex-');
file_put_contents($code, '<?php
    return fn (string $name, int $initial, callable $then) => OxPHP\Shared\Registry::mutex($name, function () use ($initial, $then) {
        $mutex = new OxPHP\Shared\Mutex($initial);
        $then();
        return $mutex;
    });');
$make = require $code;
$other = new Worker('
    $make = require $code;
    echo value_of($make($name, 1, function () { say("amid the factory"); hear(); })), "\n";
', ['code' => $code, 'name' => fresh_name('one')]);
$other->expect('amid the factory');
echo value_of($make(fresh_name('two'), 2, fn () => null)), "\n";
$other->tell('go on');
echo $other->line(), "\n";
unlink($code);
Registry::remove($name);
Registry::remove($own);
?>
--EXPECT--
bool(true)
int(1)
bool(true)
own
2
1
