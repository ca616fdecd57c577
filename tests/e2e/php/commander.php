<?php
// A worker with one pool that does as it is told: each line on stdin is a JSON list [command, argument], each answer a
// line of JSON, {"value": …} or {"error": class, "message": …}.
//
// Options (JSON, first argument): name, max, idleTimeoutMs, leakAfterMs, pool (more named arguments of Pool), server
// (address of the counting server; without it the resources are plain objects), openFiles (that many) and ballastMib (of
// memory), so that it takes a while to die.

use OxPHP\Shared\Pool;

require __DIR__ . '/connection.php';

$options = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR);
$server = $options['server'] ?? null;

function answer(array $what): void
{
    fwrite(STDOUT, json_encode($what, JSON_THROW_ON_ERROR) . "\n");
}

function attempt(callable $what): void
{
    try {
        answer(['value' => $what()]);
    } catch (Throwable $e) {
        answer(['error' => get_class($e), 'message' => $e->getMessage()]);
    }
}

$mints = 0;
$uses = 0;
$pool = null;
$handles = [];

// Files that are open before oxpool's are, but for a gap at the lowest number, which the next connection takes.
$files = [];
for ($i = 0; $i < ($options['openFiles'] ?? 0) / 2; $i++) {
    $files[] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
}

attempt(function () use (&$pool, &$mints, $options, $server): string {
    $pool = new Pool(...[
        'factory' => function () use (&$mints, $server): object {
            $mints++;
            return $server === null ? new stdClass() : new Connection($server);
        },
        'destroy' => fn (object $resource) => $resource instanceof Connection ? $resource->close() : null,
        'maxSize' => $options['max'] ?? 1,
        'idleTimeoutMs' => $options['idleTimeoutMs'] ?? 300_000,
        'name' => $options['name'],
        'leakAfterMs' => $options['leakAfterMs'] ?? 0,
        ...($options['pool'] ?? []),
    ]);
    return 'attached';
});

array_shift($files);
$ballast = str_repeat('x', ($options['ballastMib'] ?? 0) << 20);
while (($line = fgets(STDIN)) !== false) {
    [$command, $argument] = json_decode($line, true, flags: JSON_THROW_ON_ERROR) + [1 => null];
    attempt(function () use ($command, $argument, $pool, &$handles, &$mints, &$uses): mixed {
        switch ($command) {
            case 'acquire':
                $handles[] = $pool->acquire();
                return count($handles);
            case 'acquireTimeout':
                $handles[] = $pool->acquireTimeout($argument);
                return count($handles);
            case 'tryAcquire':
                $handle = $pool->tryAcquire();
                if ($handle !== null) {
                    $handles[] = $handle;
                }
                return $handle !== null;
            case 'release':
                array_pop($handles)->release();
                return count($handles);
            case 'use': // acquires and releases so many times; [times] => uses so far
                for ($i = 0; $i < $argument; $i++) {
                    $pool->with(function (object $resource): void {
                        if ($resource instanceof Connection) {
                            $resource->ask();
                        }
                    });
                    $uses++;
                }
                return $uses;
            case 'mints':
                return $mints;
            case 'id':
                return $pool->id();
            case 'evict':
                return $pool->evict();
            case 'tick':
                return $pool->tick();
            case 'stats':
                $stats = $pool->stats();
                return [
                    'inUse' => $stats->inUse(),
                    'idle' => $stats->idle(),
                    'waiting' => $stats->waiting(),
                    'size' => $stats->size(),
                    'maxSize' => $stats->maxSize(),
                ];
        }
        throw new ValueError("unknown command $command");
    });
}
