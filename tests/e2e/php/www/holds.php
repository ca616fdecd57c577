<?php
// A request that takes units of a pool one by one and holds them until it is told to go on. Answers with JSON: its pid, and
// what was live in the pool when it began.
//
// name, max  the pool
// units      how many it takes; what is not free it waits for
// events     a file for its lines: "begins PID", and once it has all of them "holds PID"
// until      it goes on once this file exists; without it at once

use OxPHP\Shared\Pool;

function note(string $event): void
{
    if (isset($_GET['events'])) {
        file_put_contents($_GET['events'], $event . ' ' . getmypid() . "\n", FILE_APPEND);
    }
}

$pool = new Pool(
    factory: fn () => new stdClass(),
    destroy: fn () => null,
    maxSize: (int) $_GET['max'],
    name: $_GET['name'],
);
$size = $pool->stats()->size();
note('begins');
$handles = [];
while (count($handles) < $_GET['units']) {
    $handles[] = $pool->acquire();
}
note('holds');
while (isset($_GET['until']) && !file_exists($_GET['until'])) {
    usleep(5000);
    clearstatcache();
}
echo json_encode(['pid' => getmypid(), 'size' => $size]);
