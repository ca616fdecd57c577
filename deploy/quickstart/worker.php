<?php
// One PHP worker: uses connections without pause for some seconds, and writes down how often it was served.
// Arguments: its number, the seconds, and "pool" or "direct" (a connection of its own for each use).

require __DIR__ . '/pool.php';

[, $number, $seconds, $mode] = $argv;
$directory = getenv('QUICKSTART_DIRECTORY');

if ($mode === 'pool') {
    $pool = quickstart_pool();
    $serve = fn () => $pool->with(fn (Connection $connection) => $connection->use());
} else {
    $serve = function (): void {
        $connection = new Connection();
        try {
            $connection->use();
        } finally {
            $connection->close();
        }
    };
}

touch("$directory/ready.$number");
await_go();

$uses = $errors = 0;
$error = null;
$end = hrtime(true) + (int) $seconds * 1_000_000_000;
while (hrtime(true) < $end) {
    try {
        $serve();
        $uses++;
    } catch (Exception $e) {
        $errors++;
        $error ??= $e->getMessage();
        usleep(10_000); // somebody who is refused tries again, but not at once
    }
}
file_put_contents("$directory/result.$number", json_encode(compact('uses', 'errors', 'error')));
