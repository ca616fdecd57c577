<?php
// A worker with several pools, each with one resource handed out. Options (JSON, first argument): names, in base64.
// Says "ready" and waits for the end of its stdin.

use OxPHP\Shared\Pool;

$options = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR);
$pools = [];
$handles = [];
foreach ($options['names'] as $name) {
    $pool = new Pool(factory: fn () => new stdClass(), maxSize: 3, name: base64_decode($name, true));
    $handles[] = $pool->acquire();
    $pools[] = $pool;
}
fwrite(STDOUT, "ready\n");
while (fgets(STDIN) !== false) {
}
