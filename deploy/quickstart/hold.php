<?php
// A worker that takes connections and keeps them: prints a line when it has them, and ends when its stdin does.
// Argument: how many.

require __DIR__ . '/pool.php';

$pool = quickstart_pool();
$handles = [];
while (count($handles) < (int) $argv[1]) {
    $handles[] = $pool->acquire();
}
echo "holding\n";
fgets(STDIN);
