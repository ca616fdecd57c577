--TEST--
Every type arrives in another worker as it was: all bits of floats, binary strings, keys and their order, what the next key is
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$values = [
    'null' => null,
    'true' => true,
    'false' => false,
    'zero' => 0,
    'minus one' => -1,
    'largest' => PHP_INT_MAX,
    'smallest' => PHP_INT_MIN,
    'minus zero' => -0.0,
    'a tenth' => 0.1,
    'infinite' => -INF,
    'nan with bits' => unpack('d', hex2bin('341200000000f8ff'))[1],
    'smallest float' => PHP_FLOAT_MIN / 2,
    'empty' => '',
    'one byte' => "\0",
    'binary' => "\xff\0\xfe" . str_repeat('ab', 500),
    'list' => [1, 'two', 3.0, null],
    'no elements' => [],
    'keys' => ['b' => 1, 'a' => 2, 10 => 'ten', -5 => 'minus five', '007' => 'text', '' => 'empty', PHP_INT_MIN => 'first'],
    'holes' => [3 => 'c', 1 => 'a', 2 => 'b'],
    'nested' => ['x' => ['y' => ['z' => [[[1]]]]]],
    'a hundred and twenty-eight deep' => array_reduce(range(1, 127), fn ($inner) => [$inner], [1]),
];
$mutex = new Mutex(null, fresh_name('types'));
$other = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    while (hear() !== null) {
        $value = value_of($mutex);
        if (is_array($value) && $value !== []) {
            $next = $value;
            $next[] = "next";
            $next = " next " . array_key_last($next);
        }
        say(is_float($value) ? bin2hex(pack("d", $value)) : sha1(var_export($value, true)) . ($next ?? ""));
        $next = null;
    }
', ['name' => $mutex->name()]);
foreach ($values as $what => $value) {
    $mutex->withLock(function (&$shared) use ($value) {
        $shared = $value;
    });
    $next = '';
    if (is_array($value) && $value !== []) {
        $longer = $value;
        $longer[] = 'next';
        $next = ' next ' . array_key_last($longer);
    }
    $other->tell('look');
    $other->expect(is_float($value) ? bin2hex(pack('d', $value)) : sha1(var_export($value, true)) . $next);
    if (is_float($value) ? pack('d', value_of($mutex)) !== pack('d', $value) : value_of($mutex) !== $value) {
        echo "$what is another one here\n";
    }
}
// The next key, where it does not follow from the keys.
$mutex->withLock(function (&$shared) {
    $shared = ['a', 'b', 'c', 'k' => 1];
    unset($shared[2], $shared['k']);
});
$other->tell('look');
$other->expect(sha1(var_export(['a', 'b'], true)) . ' next 3');
$mutex->withLock(function (&$shared) {
    $shared = [5 => 'x'];
    unset($shared[5]);
    $shared['k'] = 1;
});
$other->tell('look');
$other->expect(sha1(var_export(['k' => 1], true)) . ' next 6');
$other->end();
echo "all as they were\n";
?>
--EXPECT--
all as they were
