--TEST--
with() releases when the body throws, and passes the exception on unchanged
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
$thrown = new DomainException('the body');
try {
    $pool->with(fn () => throw $thrown);
} catch (DomainException $caught) {
    var_dump($caught === $thrown);
}
echo thrown(fn () => $pool->withTimeout(fn () => throw $thrown, 10)), "\n";
echo thrown(fn () => $pool->with(fn (int $wrong) => null)) !== 'nothing' ? 'TypeError' : 'wrong', "\n";
echo thrown(fn () => $pool->with('no such function')), "\n";
echo counts($pool), "\n";
?>
--EXPECT--
bool(true)
DomainException: the body
TypeError
TypeError: OxPHP\Shared\Pool::with(): Argument #1 ($body) must be a valid callback, function "no such function" not found or invalid function name
in use 0, idle 1, waiting 0, max 1
