--TEST--
Options out of range are a TypeException that names them, what they take, and what was given
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$bad = [
    ['validateAfterIdleMs' => -1], ['minIdle' => -1], ['minIdle' => 5, 'maxSize' => 4], ['maxLifetimeMs' => -5],
    ['maxWaiting' => -1], ['leakAfterMs' => -1], ['rebalance' => 'fair'], ['rebalance' => ''], ['patienceMs' => -1],
    ['closeWaitMs' => -1], ['persistent' => true], ['acceptGate' => true], ['acceptGate' => true, 'name' => 'n'], ['validate' => 'no such function'], ['reset' => 42], ['maxWaiting' => 'many'], ['minidle' => 1],
];
foreach ($bad as $options) {
    echo str_replace('OxPHP\Shared\Pool::__construct(): ', '', thrown(fn () => new Pool(...$options, factory: fn () => new stdClass()))), "\n";
}
// The largest are taken.
$pool = new Pool(fn () => new stdClass(), validateAfterIdleMs: PHP_INT_MAX, maxLifetimeMs: PHP_INT_MAX, maxWaiting: PHP_INT_MAX,
    leakAfterMs: PHP_INT_MAX, patienceMs: PHP_INT_MAX, closeWaitMs: PHP_INT_MAX, idleTimeoutMs: PHP_INT_MAX, minIdle: 32,
    validate: fn () => true);
$pool->with(fn () => null);
$pool->with(fn () => null);
echo counts($pool), "\n";
?>
--EXPECT--
OxPHP\Shared\TypeException: Option $validateAfterIdleMs must be 0 (always) or more milliseconds, -1 given
OxPHP\Shared\TypeException: Option $minIdle must be 0 to $maxSize, -1 with $maxSize 32 given
OxPHP\Shared\TypeException: Option $minIdle must be 0 to $maxSize, 5 with $maxSize 4 given
OxPHP\Shared\TypeException: Option $maxLifetimeMs must be 0 (for ever) or more milliseconds, -5 given
OxPHP\Shared\TypeException: Option $maxWaiting must be null (any number) or 0 or more, -1 given
OxPHP\Shared\TypeException: Option $leakAfterMs must be 0 (never) or more milliseconds, -1 given
OxPHP\Shared\TypeException: Option $rebalance must be null (as the daemon is configured), 'handover' or 'strict', 'fair' given
OxPHP\Shared\TypeException: Option $rebalance must be null (as the daemon is configured), 'handover' or 'strict', '' given
OxPHP\Shared\TypeException: Option $patienceMs must be null (derived) or 0 or more milliseconds, -1 given
OxPHP\Shared\TypeException: Option $closeWaitMs must be 0 (not at all) or more milliseconds, -1 given
OxPHP\Shared\TypeException: Option $name must be given together with $persistent, null given
OxPHP\Shared\TypeException: Option $acceptGate must be false without $persistent, true given
OxPHP\Shared\TypeException: Option $acceptGate must be false without $persistent, true given
TypeError: Argument #6 ($validate) must be a valid callback or null, function "no such function" not found or invalid function name
TypeError: Argument #8 ($reset) must be a valid callback or null, no array or string given
TypeError: Argument #11 ($maxWaiting) must be of type ?int, string given
Error: Unknown named parameter $minidle
in use 0, idle 1, waiting 0, max 32
