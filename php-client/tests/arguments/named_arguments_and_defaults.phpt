--TEST--
The constructor takes its arguments by position and by name, with the documented defaults
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

$factory = fn () => new stdClass();
echo (new Pool($factory))->stats()->maxSize(), "\n";
echo (new Pool($factory, null, 7))->stats()->maxSize(), "\n";
$pool = new Pool(idleTimeoutMs: 0, name: 'by name', maxSize: 5, factory: $factory);
echo $pool->name(), ' ', $pool->stats()->maxSize(), "\n";
$pool = new Pool(factory: 'make', destroy: 'unmake', name: 'functions');
function make() { return new stdClass(); }
function unmake($resource) { echo "unmade\n"; }
$pool->with(function () {});
echo $pool->withTimeout(ms: 10, body: fn ($resource) => get_class($resource)), "\n";
echo get_class($pool->acquireTimeout(ms: 10)), "\n";
echo $pool->evict(), "\n";
foreach ((new ReflectionMethod(Pool::class, '__construct'))->getParameters() as $parameter) {
    echo $parameter, "\n";
}
?>
--EXPECT--
32
7
by name 5
stdClass
OxPHP\Shared\Pool\Handle
unmade
1
Parameter #0 [ <required> callable $factory ]
Parameter #1 [ <optional> ?callable $destroy = null ]
Parameter #2 [ <optional> int $maxSize = 32 ]
Parameter #3 [ <optional> int $idleTimeoutMs = 300000 ]
Parameter #4 [ <optional> ?string $name = null ]
Parameter #5 [ <optional> ?callable $validate = null ]
Parameter #6 [ <optional> int $validateAfterIdleMs = 500 ]
Parameter #7 [ <optional> ?callable $reset = null ]
Parameter #8 [ <optional> int $minIdle = 0 ]
Parameter #9 [ <optional> int $maxLifetimeMs = 0 ]
Parameter #10 [ <optional> ?int $maxWaiting = null ]
Parameter #11 [ <optional> int $leakAfterMs = 0 ]
Parameter #12 [ <optional> ?string $rebalance = null ]
Parameter #13 [ <optional> ?int $patienceMs = null ]
Parameter #14 [ <optional> int $closeWaitMs = 100 ]
Parameter #15 [ <optional> bool $persistent = false ]
Parameter #16 [ <optional> bool $acceptGate = false ]
