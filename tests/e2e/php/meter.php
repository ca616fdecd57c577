<?php
// A worker that measures how long its acquires take. Says "ready", begins at the next line of its input, and goes on until
// the line after that; then answers {"uses", "longestMs", "errors": [first few texts]} in one line of JSON.
//
// Options (JSON, first argument): name, max, holdUs, pauseUs.

use OxPHP\Shared\Pool;

$options = json_decode($argv[1], flags: JSON_THROW_ON_ERROR);
$pool = new Pool(factory: fn () => new stdClass(), maxSize: $options->max, name: $options->name);
echo "ready\n";
fgets(STDIN);

stream_set_blocking(STDIN, false);
$uses = $longest = 0;
$errors = [];
while (fgets(STDIN) === false && !feof(STDIN)) {
    $asked = hrtime(true);
    try {
        $handle = $pool->acquire();
        $longest = max($longest, hrtime(true) - $asked);
        $uses++;
        usleep($options->holdUs);
        $handle->release();
    } catch (Throwable $e) {
        $errors[] = get_class($e) . ': ' . $e->getMessage();
        if (count($errors) >= 5) {
            break;
        }
    }
    usleep($options->pauseUs);
}
echo json_encode(['uses' => $uses, 'longestMs' => round($longest / 1e6, 3), 'errors' => $errors]), "\n";
