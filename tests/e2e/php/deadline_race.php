<?php
// Waits again and again with a deadline that falls together with a release: counts how each wait ended.
//
// A parent holds the only unit and gives it back at the very moment at which the child's wait runs out. Prints JSON:
// {"granted", "timedOut", "other", "inUse", "waiting"}, of as many rounds as the argument says.

use OxPHP\Shared\OperationTimeoutException;
use OxPHP\Shared\Pool;

$rounds = (int) $argv[1];
$make = fn () => new Pool(factory: fn () => new stdClass(), maxSize: 1, name: 'deadline race', patienceMs: 0);
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$waitMs = 2;

if (pcntl_fork() === 0) {
    $pool = $make();
    $count = ['granted' => 0, 'timedOut' => 0, 'other' => 0];
    while (fread($there, 1) === 'w') {
        fwrite($there, 'b');
        try {
            $handle = $pool->acquireTimeout($waitMs);
            $count['granted']++;
            $handle->discard(); // so that the parent makes its own again
        } catch (OperationTimeoutException) {
            $count['timedOut']++;
        } catch (Throwable $e) {
            $count['other']++;
        }
        fwrite($there, 'd');
    }
    echo json_encode($count + ['inUse' => $pool->stats()->inUse(), 'waiting' => $pool->stats()->waiting()]), "\n";
    exit(0);
}
$pool = $make();
for ($i = 0; $i < $rounds; $i++) {
    $handle = $pool->acquire();
    fwrite($here, 'w');
    fread($here, 1);
    $release = hrtime(true) + $waitMs * 1_000_000 + random_int(-150_000, 150_000);
    while (hrtime(true) < $release);
    $handle->release();
    unset($handle);
    fread($here, 1);
}
fwrite($here, 'e');
pcntl_wait($status);
