<?php

/**
 * What a mutex costs, beside what people do today, in one run: ratios mean something on a shared machine, times do not.
 *
 *     php -d extension=$PWD/build/php/oxpool.so -d oxpool.runtime_dir=DIR tests/bench/mutex_bench.php [ROUNDS]
 *
 * DIR is the runtime directory of a running oxpoold. Rows whose extensions are not loaded (apcu with apc.enable_cli=1 and
 * sysvsem, redis and the program redis-server, sync) are left out. Each row is the best of ROUNDS (default 50) interleaved
 * rounds. Nothing here fails by being slow.
 */

declare(strict_types=1);

use OxPHP\Shared\Mutex;

const ROUND_NS = 4_000_000; // of one row; short enough to fit between two disturbances
const PAIR_NS = 300_000_000; // of two workers

/** Nanoseconds per call of $loop(times), which is run for about ROUND_NS. */
function nanoseconds(callable $loop, int $times): float
{
    $started = hrtime(true);
    $loop($times);
    return (hrtime(true) - $started) / $times;
}

/** The command that runs this file as a worker. */
function worker_command(string $name): array
{
    $command = [PHP_BINARY, '-n'];
    foreach (file('/proc/self/maps') as $line) {
        if (preg_match('~\s(/\S*oxpool\.so)$~', $line, $found)) {
            array_push($command, '-d', "extension=$found[1]", '-d', 'oxpool.runtime_dir=' . ini_get('oxpool.runtime_dir'));
            break;
        }
    }
    return [...$command, __FILE__, 'worker', $name];
}

/** Increments of so many workers at once, in all per second. */
function increments_per_second(int $workers): float
{
    $processes = [];
    for ($i = 0; $i < $workers; $i++) {
        $process = proc_open(worker_command('mutex_bench pair'), [['pipe', 'r'], ['pipe', 'w']], $pipes);
        fgets($pipes[1]); // it is ready
        $processes[] = [$process, $pipes];
    }
    foreach ($processes as [, $pipes]) {
        fwrite($pipes[0], "go\n");
    }
    $sum = 0.0;
    foreach ($processes as [$process, $pipes]) {
        $sum += (float) fgets($pipes[1]);
        array_map('fclose', $pipes);
        proc_close($process);
    }
    return $sum;
}

if (($argv[1] ?? '') === 'worker') {
    $mutex = new Mutex(0, $argv[2]);
    $body = static fn (int &$value): int => ++$value;
    $mutex->withLock($body);
    echo "ready\n";
    fgets(STDIN);
    $began = hrtime(true);
    for ($times = 0; ($now = hrtime(true)) - $began < PAIR_NS; $times += 100) {
        for ($i = 0; $i < 100; $i++) {
            $mutex->withLock($body);
        }
    }
    echo $times / ($now - $began) * 1e9, "\n";
    exit(0);
}

$rounds = (int) ($argv[1] ?? 50);
$counter = new Mutex(0, 'mutex_bench counter');
$fields = new Mutex(['hits' => 0, 'bytes' => 0], 'mutex_bench fields');
$large = new Mutex(array_fill(0, 12_500, 'eight by'), 'mutex_bench large');
$increment = static fn (int &$value): int => ++$value;

$loops = [
    'empty loop' => function (int $times) {
        for ($i = 0; $i < $times; $i++) {
        }
    },
    'the closure called alone' => function (int $times) use ($increment) {
        $value = 0;
        for ($i = 0; $i < $times; $i++) {
            $increment($value);
        }
    },
    'withLock(fn (int &$v) => ++$v)' => function (int $times) use ($counter, $increment) {
        for ($i = 0; $i < $times; $i++) {
            $counter->withLock($increment);
        }
    },
    "two fields of ['hits' => …, 'bytes' => …]" => function (int $times) use ($fields) {
        $body = static function (array &$value): void {
            $value['hits']++;
            $value['bytes'] += 4096;
        };
        for ($i = 0; $i < $times; $i++) {
            $fields->withLock($body);
        }
    },
    'array of 100 KB, read only' => function (int $times) use ($large) {
        $body = static fn (array &$value): string => $value[5];
        for ($i = 0; $i < $times; $i++) {
            $large->withLock($body);
        }
    },
    'array of 100 KB, one element changed' => function (int $times) use ($large) {
        $body = static function (array &$value): void {
            $value[5] = $value[5] === 'eight by' ? 'by eight' : 'eight by';
        };
        for ($i = 0; $i < $times; $i++) {
            $large->withLock($body);
        }
    },
];

if (class_exists('SyncMutex')) {
    $sync = new SyncMutex('mutex_bench');
    $loops['SyncMutex lock, closure, unlock'] = function (int $times) use ($sync, $increment) {
        $value = 0;
        for ($i = 0; $i < $times; $i++) {
            $sync->lock();
            $increment($value);
            $sync->unlock();
        }
    };
}

$file = tmpfile();
fwrite($file, '0');
$loops['flock around a file'] = function (int $times) use ($file) {
    for ($i = 0; $i < $times; $i++) {
        flock($file, LOCK_EX);
        rewind($file);
        $value = (int) fgets($file) + 1;
        rewind($file);
        fwrite($file, (string) $value);
        fflush($file);
        flock($file, LOCK_UN);
    }
};

if (function_exists('apcu_enabled') && apcu_enabled() && function_exists('sem_get')) {
    $semaphore = sem_get(ftok(__FILE__, 'm'));
    apcu_store('mutex_bench', 0);
    $loops['apcu_fetch, apcu_store under sem_acquire'] = function (int $times) use ($semaphore) {
        for ($i = 0; $i < $times; $i++) {
            sem_acquire($semaphore);
            apcu_store('mutex_bench', apcu_fetch('mutex_bench') + 1);
            sem_release($semaphore);
        }
    };
}

$server = null;
$redis_server = trim((string) shell_exec('command -v redis-server'));
if (extension_loaded('redis') && $redis_server !== '') {
    $socket = sys_get_temp_dir() . '/mutex_bench-' . getmypid() . '.sock';
    $nothing = ['file', '/dev/null', 'w'];
    $server = proc_open([$redis_server, '--port', '0', '--unixsocket', $socket, '--save', '', '--appendonly', 'no'], [1 => $nothing, 2 => $nothing], $pipes);
    while (!@stream_socket_client("unix://$socket")) {
        usleep(10_000);
    }
    $redis = new Redis();
    $redis->connect($socket);
    $redis->set('value', 0);
    $loops['Redis SET NX, GET, SET, DEL'] = function (int $times) use ($redis) {
        for ($i = 0; $i < $times; $i++) {
            while (!$redis->set('lock', 1, ['nx', 'ex' => 10])) {
                usleep(100);
            }
            $redis->set('value', (int) $redis->get('value') + 1);
            $redis->del('lock');
        }
    };
}

$times = [];
foreach ($loops as $name => $loop) {
    $times[$name] = max(1, (int) (ROUND_NS / max(1, nanoseconds($loop, 100))));
}
$best = array_fill_keys(array_keys($loops), INF);
for ($round = 0; $round < $rounds; $round++) {
    foreach ($loops as $name => $loop) {
        $best[$name] = min($best[$name], nanoseconds($loop, $times[$name]));
    }
}
if ($server !== null) {
    proc_terminate($server, 9);
    proc_close($server);
    @unlink($socket);
}
if (isset($semaphore)) {
    sem_remove($semaphore);
}

$net = fn (string $name): float => $best[$name] - $best['empty loop'];
$mutex = $net('withLock(fn (int &$v) => ++$v)');
$wanted = [
    'withLock(fn (int &$v) => ++$v)' => '≤ 250 ns',
    'SyncMutex lock, closure, unlock' => '≥ 0.5',
    'flock around a file' => '> 1',
    'apcu_fetch, apcu_store under sem_acquire' => '> 1',
    'Redis SET NX, GET, SET, DEL' => '> 1',
];
printf("%-42s %10s %8s %9s\n", 'what', 'ns net', 'ratio', 'wanted');
foreach ($best as $name => $nanoseconds) {
    if ($name !== 'empty loop') {
        printf("%-42s %10.1f %8.2f %9s\n", $name, $net($name), $net($name) / $mutex, $wanted[$name] ?? '');
    }
}

$ratios = [];
for ($round = 0; $round < 9; $round++) {
    $alone = increments_per_second(1);
    $ratios[] = increments_per_second(2) / $alone;
}
sort($ratios);
printf("%-42s %10s %8.2f %9s\n", 'two workers at one mutex ÷ one alone', '', $ratios[4], '≥ 0.5');
