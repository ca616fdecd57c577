<?php

/**
 * What each option of a pool adds to tryAcquire + release, as ratios against the same pair without options and against
 * its callback called by PHP itself; and what the ten-thousandth pool costs against the first ones.
 *
 *     php -d extension=$PWD/build/php/oxpool.so -d oxpool.runtime_dir=DIR tests/bench/pool_options_bench.php [ROUNDS]
 *
 * DIR is the runtime directory of a running oxpoold. Each row is the best of ROUNDS (default 200) interleaved rounds.
 * Nothing here fails by being slow.
 */

declare(strict_types=1);

use OxPHP\Shared\Pool;

const CALLS = 10_000;
const POOLS = 10_000;

function pair(Pool $pool): callable
{
    return function () use ($pool) {
        for ($i = 0; $i < CALLS; $i++) {
            $handle = $pool->tryAcquire();
            $handle->release();
        }
    };
}

function nanoseconds(callable $loop): float
{
    $started = hrtime(true);
    $loop();
    return (hrtime(true) - $started) / CALLS;
}

$rounds = (int) ($argv[1] ?? 200);
$make = static fn () => new stdClass();
$approve = static fn (object $resource): bool => true;
$pool = static fn (string $what, mixed ...$options) => new Pool(...$options, factory: $make, maxSize: 4, name: "pool_options_bench $what");
$resource = new stdClass();
$loops = [
    'empty loop' => function () {
        for ($i = 0; $i < CALLS; $i++) {
        }
    },
    'the callback, called by PHP' => function () use ($approve, $resource) {
        for ($i = 0; $i < CALLS; $i++) {
            $approve($resource);
        }
    },
    'no options' => pair($pool('plain')),
    'minIdle, maxWaiting, patienceMs' => pair($pool('settings', minIdle: 2, maxWaiting: 100, patienceMs: 50)),
    'maxLifetimeMs' => pair($pool('lifetime', maxLifetimeMs: 3_600_000)),
    'validate, not due' => pair($pool('not due', validate: $approve, validateAfterIdleMs: 3_600_000)),
    'validate, every time' => pair($pool('validate', validate: $approve, validateAfterIdleMs: 0)),
    'reset' => pair($pool('reset', reset: $approve)),
    'leakAfterMs' => pair($pool('leak', leakAfterMs: 3_600_000)),
];
$best = array_fill_keys(array_keys($loops), INF);
for ($round = 0; $round < $rounds; $round++) {
    foreach ($loops as $name => $loop) {
        $best[$name] = min($best[$name], nanoseconds($loop));
    }
}
$net = fn (string $name) => $best[$name] - $best['empty loop'];
printf("%-36s %10s %8s %10s %12s\n", 'what', 'ns net', 'ratio', 'added ns', '/ callback');
foreach (array_slice(array_keys($best), 1) as $name) {
    $added = $net($name) - $net('no options');
    $callback = str_starts_with($name, 'validate, every') || $name === 'reset'
        ? sprintf('%.2f', $added / $net('the callback, called by PHP')) : '';
    printf("%-36s %10.1f %8.2f %10s %12s\n", $name, $net($name), $net($name) / $net('no options'),
        str_starts_with($name, 'the') || $name === 'no options' ? '' : sprintf('%.1f', $added), $callback);
}

/** Microseconds per pool, the first and the last thousand of POOLS; the best of a few runs. */
function pools(callable $make_number): array
{
    $first = $last = INF;
    for ($run = 0; $run < 3; $run++) {
        $times = [];
        for ($thousand = 0; $thousand < POOLS / 1000; $thousand++) {
            $started = hrtime(true);
            for ($i = 0; $i < 1000; $i++) {
                $make_number($run * POOLS + $thousand * 1000 + $i);
            }
            $times[] = (hrtime(true) - $started) / 1e6;
        }
        $first = min($first, $times[0]);
        $last = min($last, end($times));
    }
    return [$first, $last];
}
printf("\n%-36s %10s %10s %8s\n", POOLS . ' pools made and dropped', 'first µs', 'last µs', 'ratio');
foreach ([
    'unused, one place' => fn (int $i) => new Pool($make),
    'used, one place' => fn (int $i) => (new Pool($make, closeWaitMs: 0))->tryAcquire()->discard(),
    'used, each of its own' => fn (int $i) => (new Pool(function () use ($i) { return new stdClass(); }, closeWaitMs: 0))->tryAcquire()->discard(),
] as $name => $make_number) {
    [$first, $last] = pools($make_number);
    printf("%-36s %10.2f %10.2f %8.2f\n", $name, $first, $last, $last / $first);
}
