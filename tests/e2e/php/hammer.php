<?php
// One of many workers that use a pool of connections to the counting server without pause. Says "ready", begins at the
// first line on stdin, and ends with one line of JSON: {"uses": …, "mints": …, "errors": [first few texts]}.
//
// Options (JSON, first argument): name, max, server, seconds, factoryMs, destroyMs, holdUs; closeWaitMs (100).

use OxPHP\Shared\Pool;

require __DIR__ . '/connection.php';

$options = json_decode($argv[1], flags: JSON_THROW_ON_ERROR);
$mints = 0;
$pool = new Pool(
    factory: function () use (&$mints, $options): Connection {
        $mints++;
        return new Connection($options->server, $options->factoryMs);
    },
    destroy: fn (Connection $connection) => $connection->close($options->destroyMs),
    maxSize: $options->max,
    name: $options->name,
    closeWaitMs: $options->closeWaitMs ?? 100,
);

echo "ready\n";
fgets(STDIN);

$uses = 0;
$errors = [];
$end = hrtime(true) + (int) ($options->seconds * 1e9);
while (hrtime(true) < $end) {
    try {
        $pool->with(function (Connection $connection) use ($options): void {
            $connection->ask();
            usleep($options->holdUs);
        });
        $uses++;
    } catch (Throwable $e) {
        $errors[] = get_class($e) . ': ' . $e->getMessage();
        if (count($errors) >= 5) {
            break;
        }
    }
}
echo json_encode(['uses' => $uses, 'mints' => $mints, 'errors' => $errors]), "\n";
