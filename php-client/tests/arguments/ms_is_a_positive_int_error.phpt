--TEST--
$ms that is missing, not an int or not positive is a TypeException, checked before anything else, also on a full pool
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
$full = $pool->acquire();
foreach ([0, -5, 1.0, '100', null, true, [], new stdClass()] as $ms) {
    echo thrown(fn () => $pool->acquireTimeout($ms)), "\n";
    echo strstr(thrown(fn () => $pool->withTimeout(fn () => null, $ms)), ':', true), "\n";
}
echo thrown(fn () => $pool->acquireTimeout()), "\n";
echo thrown(fn () => $pool->withTimeout(fn () => null)), "\n";
echo thrown(fn () => $pool->withTimeout('no such function', 0)), "\n";
$reference = 0;
echo thrown(fn () => call_user_func_array([$pool, 'acquireTimeout'], [&$reference])), "\n";
echo thrown(fn () => $pool->acquireTimeout(1, 2)), "\n";
?>
--EXPECT--
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), 0 given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), -5 given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), float given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), string given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), null given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), bool given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), array given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), stdClass given
OxPHP\Shared\TypeException
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), none given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::withTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), none given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::withTimeout(): Argument #2 ($ms) must be a positive int (milliseconds), 0 given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::acquireTimeout(): Argument #1 ($ms) must be a positive int (milliseconds), 0 given
ArgumentCountError: OxPHP\Shared\Pool::acquireTimeout() expects exactly 1 argument, 2 given
