<?php
// Kills a worker that holds every connection while another one waits, and shows that the connection comes back.
// Arguments: the command line that runs PHP with oxpool.

require __DIR__ . '/pool.php';

/** @return array{process: resource, pid: int, in: resource, out: resource} */
function start_holder(int $connections): array
{
    global $argv;
    $command = [...array_slice($argv, 1), __DIR__ . '/hold.php', (string) $connections];
    $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    return ['process' => $process, 'pid' => proc_get_status($process)['pid'], 'in' => $pipes[0], 'out' => $pipes[1]];
}

/** Waits until a worker says that it has what it asked for. */
function await_holding(array $worker, float $seconds): void
{
    $streams = [$worker['out']];
    $none = null;
    if (!stream_select($streams, $none, $none, (int) $seconds) || fgets($worker['out']) !== "holding\n") {
        throw new RuntimeException("worker {$worker['pid']} did not get its connection within $seconds s");
    }
}

function await_waiting(OxPHP\Shared\Pool $pool): void
{
    $end = hrtime(true) + 30_000_000_000;
    while ($pool->stats()->waiting() === 0) {
        if (hrtime(true) > $end) {
            throw new RuntimeException('nobody waited for a connection within 30 s');
        }
        usleep(1000);
    }
}

function show(OxPHP\Shared\Pool $pool): void
{
    $now = $pool->stats();
    printf("  in use %d, idle %d, waiting %d\n", $now->inUse(), $now->idle(), $now->waiting());
}

$pool = quickstart_pool();
$holder = start_holder(MOST_CONNECTIONS);
await_holding($holder, 30);
$next = start_holder(1);
await_waiting($pool);
printf("  worker %d holds all %d connections; worker %d asks for one and has to wait:\n",
    $holder['pid'], MOST_CONNECTIONS, $next['pid']);
show($pool);

$killed_at = hrtime(true);
proc_terminate($holder['process'], 9);
printf("  kill -9 %d\n", $holder['pid']);
await_holding($next, 30);
printf("  worker %d got a connection %.0f ms after the kill:\n", $next['pid'], (hrtime(true) - $killed_at) / 1e6);
show($pool);

fclose($next['in']);
proc_close($next['process']);
proc_close($holder['process']);
