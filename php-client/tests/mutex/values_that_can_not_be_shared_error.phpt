--TEST--
What can not be shared is a TypeException that says what it is and where; the old value stays
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

enum Suit: string
{
    case Hearts = 'h';
}
$mutex = new Mutex(['old' => true], fresh_name('refused'));
$itself = [1];
$itself['me'] = &$itself;
$open = fopen('php://memory', 'r');
$closed = fopen('php://memory', 'r');
fclose($closed);
$values = [
    new stdClass(),
    Suit::Hearts,
    fn () => 1,
    $open,
    $closed,
    ['a' => [3 => ['x' => new DateTime()]]],
    ['fine', ['fine', Suit::Hearts]],
    ["a key\n" . str_repeat('k', 60) => fn () => 1],
    new Pool(fn () => new stdClass()),
    $itself,
    array_reduce(range(1, 128), fn ($inner) => [$inner], [1]),
    [new stdClass(), 'and a reference' => &$open],
];
foreach ($values as $value) {
    $message = thrown(fn () => $mutex->withLock(function (&$shared) use ($value) {
        $shared = $value;
    }));
    echo str_replace($mutex->name(), 'NAME', $message), "\n";
}
unset($itself['me']);
var_dump(value_of($mutex) === ['old' => true]);
foreach (array_slice($values, 0, 3) as $value) {
    echo thrown(fn () => new Mutex(['in' => $value])), "\n";
}
?>
--EXPECT--
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: an object of class stdClass; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: a case of the enum Suit; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: a closure; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: a resource; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: a resource; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: an object of class DateTime at ['a'][3]['x']; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: a case of the enum Suit at [1][1]; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: a closure at ['a key?kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…']; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: an object of class OxPHP\Shared\Pool; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: an array that contains itself at ['me']; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: arrays that are nested more than 128 deep at [0][0][0][0][0][0][0][0][0][0][0][0]…; it stays what it was
OxPHP\Shared\TypeException: mutex 'NAME': the value is non-serialisable: an object of class stdClass at [0]; it stays what it was
bool(true)
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #1 ($initial) is non-serialisable: an object of class stdClass at ['in']
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #1 ($initial) is non-serialisable: a case of the enum Suit at ['in']
OxPHP\Shared\TypeException: OxPHP\Shared\Mutex::__construct(): Argument #1 ($initial) is non-serialisable: a closure at ['in']
