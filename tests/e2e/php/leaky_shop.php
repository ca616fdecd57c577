<?php
// A worker that does not give back what it takes, as the next line of its input says: "sound" uses the pool and gives
// it back, "leak" keeps it. Says "ready" first and "done" after each. Options (JSON, first argument): name, max.

$options = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR);
$pool = new OxPHP\Shared\Pool(
    factory: fn () => new stdClass(),
    maxSize: $options['max'],
    name: $options['name'],
    leakAfterMs: 300,
);
$kept = [];
fwrite(STDOUT, "ready\n");
while (($order = fgets(STDIN)) !== false) {
    if (trim($order) === 'leak') {
        $kept[] = $pool->acquire(); // this is the line that people look for
    } else {
        $pool->with(fn () => usleep(1000));
    }
    fwrite(STDOUT, "done\n");
}
