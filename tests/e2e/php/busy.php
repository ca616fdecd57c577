<?php
// A worker that uses its pool without pause. Prints "0" once it is attached; answers every line on stdin with the
// number of its uses so far; ends when stdin does, or with a message when anything is thrown.
//
// Options (JSON, first argument): name, max, server.

use OxPHP\Shared\Pool;

require __DIR__ . '/connection.php';

$options = json_decode($argv[1], flags: JSON_THROW_ON_ERROR);
$pool = new Pool(
    factory: fn () => new Connection($options->server),
    destroy: fn (Connection $connection) => $connection->close(),
    maxSize: $options->max,
    name: $options->name,
);

stream_set_blocking(STDIN, false);
echo "0\n";
$uses = 0;
while (!feof(STDIN)) {
    $pool->with(function (Connection $connection): void {
        $connection->ask();
        usleep(200);
    });
    $uses++;
    while (($line = fgets(STDIN)) !== false) {
        echo $uses, "\n";
    }
}
