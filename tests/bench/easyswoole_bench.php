<?php

/**
 * What the pools of php-client/easyswoole cost in one process, beside the extension's own calls, and beside the package
 * that they replace where a checkout of it is there.
 *
 *     php -d extension=$PWD/build/php/oxpool.so -d oxpool.runtime_dir=DIR tests/bench/easyswoole_bench.php [ROUNDS]
 *
 * DIR is the runtime directory of a running oxpoold. With OXPOOL_TEST_EASYSWOOLE=/path/to/a/checkout (with its vendor/) and
 * the Swoole extension loaded, or OXPOOL_TEST_SWOOLE=/path/to/swoole.so, a second PHP measures the package itself the same way. Each row is the best of ROUNDS
 * (default 200) rounds. Nothing here fails by being slow.
 */

declare(strict_types=1);

use EasySwoole\Pool\AbstractPool;
use EasySwoole\Pool\Config;
use EasySwoole\Pool\ObjectInterface;

const CALLS = 5_000;

$rounds = (int) ($argv[1] ?? 200);
$checkout = getenv('OXPOOL_TEST_EASYSWOOLE');
$isPackage = ($argv[2] ?? null) === 'package'; // the second PHP
require $isPackage ? "$checkout/vendor/autoload.php" : __DIR__ . '/../../php-client/easyswoole/tests/autoload.inc';

final class Measured implements ObjectInterface
{
    public function beforeUse(): bool
    {
        return true;
    }

    public function intervalCheck(): bool
    {
        return true;
    }

    public function objectRestore()
    {
    }

    public function gc()
    {
    }
}

final class MeasuredPool extends AbstractPool
{
    protected function createObject(): ObjectInterface
    {
        return new Measured();
    }
}

/** @param array<string, Closure> $loops @return array<string, float> nanoseconds per call, the best of the rounds */
function best(array $loops, int $rounds): array
{
    $best = array_fill_keys(array_keys($loops), INF);
    for ($round = 0; $round < $rounds; ++$round) {
        foreach ($loops as $what => $loop) {
            $began = hrtime(true);
            $loop();
            $best[$what] = min($best[$what], (hrtime(true) - $began) / CALLS);
        }
    }
    return $best;
}

/** @return array<string, Closure> the rows that both have */
function loops(AbstractPool $pool): array
{
    $body = static fn (object $object) => null;
    return [
        'getObj + recycleObj' => static function () use ($pool): void {
            for ($i = 0; $i < CALLS; ++$i) {
                $object = $pool->getObj();
                $pool->recycleObj($object);
            }
        },
        'invoke' => static function () use ($pool, $body): void {
            for ($i = 0; $i < CALLS; ++$i) {
                $pool->invoke($body);
            }
        },
    ];
}

$options = ['minObjectNum' => 0, 'maxObjectNum' => 4, 'intervalCheckTime' => 0];
if ($isPackage) {
    Swoole\Coroutine\run(function () use ($options, $rounds): void {
        $pool = new MeasuredPool(new Config($options));
        echo json_encode(best(loops($pool), $rounds));
        $pool->destroy();
    });
    exit;
}

$pool = new MeasuredPool(new Config($options + ['name' => 'easyswoole_bench']));
$shared = new OxPHP\Shared\Pool(factory: fn () => new Measured(), maxSize: 4, name: 'easyswoole_bench raw');
$deferred = $pool->defer();
$mine = best(loops($pool) + [
    'defer, again' => static function () use ($pool): void {
        for ($i = 0; $i < CALLS; ++$i) {
            $pool->defer();
        }
    },
    'the extension: tryAcquire + get + release' => static function () use ($shared): void {
        for ($i = 0; $i < CALLS; ++$i) {
            $handle = $shared->tryAcquire();
            $handle->get();
            $handle->release();
        }
    },
    'the extension: with' => static function () use ($shared): void {
        $body = static fn (object $object) => null;
        for ($i = 0; $i < CALLS; ++$i) {
            $shared->with($body);
        }
    },
], $rounds);

$theirs = [];
$swoole = getenv('OXPOOL_TEST_SWOOLE');
if ($checkout !== false && ($swoole || extension_loaded('swoole'))) {
    $theirs = json_decode((string) shell_exec(escapeshellarg(PHP_BINARY) . ($swoole ? ' -d extension=' . escapeshellarg($swoole) : '')
        . ' ' . escapeshellarg(__FILE__) . " $rounds package"), true) ?? [];
}
foreach ($mine as $what => $ns) {
    $ratio = isset($theirs[$what]) ? sprintf('  the package %.0f ns, ratio %.2f (is to be at most 0.5)', $theirs[$what], $ns / $theirs[$what]) : '';
    printf("%-42s %5.0f ns%s\n", $what, $ns, $ratio);
}
if ($theirs === []) {
    echo "The package itself is not measured: set OXPOOL_TEST_EASYSWOOLE, and OXPOOL_TEST_SWOOLE or load Swoole.\n";
}
