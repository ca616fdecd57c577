<?php
// Shows the pool once a second, as any process of the host can see it, from the moment the workers begin.
// Argument: for how many seconds.

require __DIR__ . '/pool.php';

$pool = quickstart_pool();
await_go();
$began = hrtime(true);
printf("  %8s %8s %8s %8s\n", 'second', 'in use', 'idle', 'waiting');
for ($second = 1; $second <= (int) $argv[1]; $second++) {
    $look_at = $began + $second * 1_000_000_000 - 50_000_000; // a little early: in the last second they still run
    usleep(max(0, intdiv($look_at - hrtime(true), 1000)));
    $now = $pool->stats();
    printf("  %8d %8d %8d %8d\n", $second, $now->inUse(), $now->idle(), $now->waiting());
}
