<?php
// Adds up what the workers wrote down. Arguments: their number, the seconds, and "pool" or "direct". Ends with 1 when
// the pool broke its promise: an error, a worker that was never served, or more connections at once than it allows.

require __DIR__ . '/pool.php';

[, $workers, $seconds, $mode] = $argv;
$directory = getenv('QUICKSTART_DIRECTORY');
$results = array_map(fn (string $file) => json_decode(file_get_contents($file)), glob("$directory/result.*"));
$uses = array_column($results, 'uses');
$served = count(array_filter($uses));
$errors = array_sum(array_column($results, 'errors'));
$peak = Turnstile::peak($directory);
$counts = @file("$directory/server_counts", FILE_IGNORE_NEW_LINES) ?: [];
$server_peak = $counts === [] ? 0 : max(array_map('intval', $counts));

printf("  workers that were served      %d of %d\n", $served, $workers);
printf("  uses per second               %s\n", number_format(array_sum($uses) / (int) $seconds));
printf("  uses of a worker              fewest %s, most %s\n",
    number_format(min($uses ?: [0])), number_format(max($uses ?: [0])));
printf("  errors                        %s\n", number_format($errors));
if ($errors > 0) {
    $first = current(array_filter(array_column($results, 'error')));
    printf("  the first of them             %s\n", strtr($first, "\n", ' '));
}
printf("  %-29s %d (counted by locks on files around each connection, not by oxpool)\n",
    $mode === 'pool' ? 'open at once, at most' : 'wanted at once, at most', $peak);
if ($server_peak > 0) {
    printf("  as PostgreSQL counted         %d at most (in %s looks at pg_stat_activity)\n",
        $server_peak, number_format(count($counts)));
}

$kept = $errors === 0 && $served === (int) $workers && max($peak, $server_peak) <= MOST_CONNECTIONS;
if ($mode === 'pool' && !$kept) {
    $promise = 'everybody served, no error, at most ' . MOST_CONNECTIONS . ' connections';
    fwrite(STDERR, "This is not what the pool promises: $promise.\n");
    exit(1);
}
