<?php

/**
 * What the PHP extension costs, as ratios against SplQueue in the same run, and what it adds to a worker's memory.
 *
 *     php -d extension=$PWD/build/php/oxpool.so -d oxpool.runtime_dir=DIR tests/bench/pool_bench.php [ROUNDS]
 *
 * DIR is the runtime directory of a running oxpoold. Each row is the best of ROUNDS (default 200) interleaved rounds: on a
 * shared machine the fastest is the one least disturbed. Nothing here fails by being slow.
 */

declare(strict_types=1);

use OxPHP\Shared\Pool;

const CALLS = 20_000; // 1–2 ms: short enough to fit between two disturbances

/** Runs $what CALLS times; nanoseconds per call, the empty loop included. */
function nanoseconds(callable $loop): float
{
    $started = hrtime(true);
    $loop();
    return (hrtime(true) - $started) / CALLS;
}

/** Memory that a process which runs $code has for itself, in KiB: written pages. The rest, code and segment, is shared. */
function private_kib(string $arguments, string $code): int
{
    $code .= 'preg_match_all("/^Private_Dirty:\s+(\d+)/m", file_get_contents("/proc/self/smaps_rollup"), $kib); echo array_sum($kib[1]);';
    return (int) shell_exec(escapeshellarg(PHP_BINARY) . " -n $arguments -r " . escapeshellarg($code));
}

$rounds = (int) ($argv[1] ?? 200);
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 4, name: 'pool_bench');
$queue = new SplQueue();
$queue->enqueue(new stdClass());
$body = static fn (object $resource) => null;

$loops = [
    'empty loop' => function () {
        for ($i = 0; $i < CALLS; $i++) {
        }
    },
    'SplQueue dequeue + enqueue' => function () use ($queue) {
        for ($i = 0; $i < CALLS; $i++) {
            $item = $queue->dequeue();
            $queue->enqueue($item);
        }
    },
    'tryAcquire + release' => function () use ($pool) {
        for ($i = 0; $i < CALLS; $i++) {
            $handle = $pool->tryAcquire();
            $handle->release();
        }
    },
    'with(fn)' => function () use ($pool, $body) {
        for ($i = 0; $i < CALLS; $i++) {
            $pool->with($body);
        }
    },
    'acquire + get + end of scope' => function () use ($pool) {
        for ($i = 0; $i < CALLS; $i++) {
            $handle = $pool->acquire();
            $resource = $handle->get();
            unset($handle);
        }
    },
    'acquireTimeout(1000) + release' => function () use ($pool) {
        for ($i = 0; $i < CALLS; $i++) {
            $handle = $pool->acquireTimeout(1000);
            $handle->release();
        }
    },
    'tick, nothing to do' => function () use ($pool) {
        for ($i = 0; $i < CALLS; $i++) {
            $pool->tick();
        }
    },
];
$best = array_fill_keys(array_keys($loops), INF);
for ($round = 0; $round < $rounds; $round++) {
    foreach ($loops as $name => $loop) {
        $best[$name] = min($best[$name], nanoseconds($loop));
    }
}

// From here on each tick() looks at the worker's stream, too.
$stream = $pool->wakeStream();
$name = 'tick with wakeStream, nothing to do';
$best[$name] = INF;
for ($round = 0; $round < $rounds; $round++) {
    $best[$name] = min($best[$name], nanoseconds($loops['tick, nothing to do']));
}

$reference = $best['SplQueue dequeue + enqueue'] - $best['empty loop'];
$wanted = ['tryAcquire + release' => '≤ 2.2', 'with(fn)' => '≤ 2.2', 'tick, nothing to do' => '≤ 20 ns'];
printf("%-36s %10s %8s %8s\n", 'what', 'ns net', 'ratio', 'wanted');
foreach ($best as $name => $nanoseconds) {
    if ($name !== 'empty loop') {
        $net = $nanoseconds - $best['empty loop'];
        printf("%-36s %10.1f %8.2f %8s\n", $name, $net, $net / $reference, $wanted[$name] ?? '');
    }
}

// The extension is wherever this process has it from.
foreach (file('/proc/self/maps') as $line) {
    if (preg_match('~\s(/\S*oxpool\.so)$~', $line, $found)) {
        $use = '$p = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 4, name: "pool_bench"); $p->with(fn () => null);';
        $with = [];
        $without = [];
        for ($i = 0; $i < 5; $i++) {
            $with[] = private_kib('-d extension=' . escapeshellarg($found[1])
                . ' -d oxpool.runtime_dir=' . escapeshellarg((string) ini_get('oxpool.runtime_dir')), $use);
            $without[] = private_kib('', '');
        }
        printf("%-34s %6d KiB %8s %8s\n", 'own memory of a worker', min($with) - min($without), '', '≤ 1 MiB');
        break;
    }
}
