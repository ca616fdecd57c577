--TEST--
Arguments out of range are a TypeException that names them; no pool is made
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

$factory = fn () => new stdClass();
foreach ([0, -1, PHP_INT_MIN] as $size) {
    echo thrown(fn () => new Pool($factory, maxSize: $size)), "\n";
}
echo thrown(fn () => new Pool($factory, idleTimeoutMs: -1)), "\n";
echo thrown(fn () => new Pool($factory, name: '')), "\n";
echo thrown(fn () => new Pool($factory, name: str_repeat('n', 256))), "\n";
echo thrown(fn () => new Pool('no such function')), "\n";
echo thrown(fn () => new Pool($factory, 'no such function')), "\n";
echo thrown(fn () => new Pool()), "\n";
echo thrown(fn () => new Pool($factory, maxSize: 'many')), "\n";
var_dump(is_subclass_of('OxPHP\Shared\TypeException', 'OxPHP\Shared\SharedException'));
?>
--EXPECT--
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::__construct(): Argument #3 ($maxSize) must be at least 1, 0 given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::__construct(): Argument #3 ($maxSize) must be at least 1, -1 given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::__construct(): Argument #3 ($maxSize) must be at least 1, -9223372036854775808 given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::__construct(): Argument #4 ($idleTimeoutMs) must be 0 (never) or more milliseconds, -1 given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::__construct(): Option $name must be 1 to 255 bytes, 0 bytes given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::__construct(): Option $name must be 1 to 255 bytes, 256 bytes given
TypeError: OxPHP\Shared\Pool::__construct(): Argument #1 ($factory) must be a valid callback, function "no such function" not found or invalid function name
TypeError: OxPHP\Shared\Pool::__construct(): Argument #2 ($destroy) must be a valid callback or null, function "no such function" not found or invalid function name
ArgumentCountError: OxPHP\Shared\Pool::__construct() expects at least 1 argument, 0 given
TypeError: OxPHP\Shared\Pool::__construct(): Argument #3 ($maxSize) must be of type int, string given
bool(true)
