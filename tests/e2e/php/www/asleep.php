<?php
// One request to a persistent pool of PostgreSQL connections.
//
// dsn          how to connect
// hold_ms      how long the resource is held; absent: the pool is not used at all
// sleep_ms     how long the request then goes on without it
// timeout_ms   of the acquire; default 30000
// gate         acceptGate
// max          maxSize
//
// Answers with JSON: pid, and how long acquire took in ms, factory included.

use OxPHP\Shared\Pool;

$said = ['pid' => getmypid()];
$pool = new Pool(
    fn (string $slot) => new PDO($_GET['dsn'], null, null, [PDO::ATTR_PERSISTENT => $slot]),
    name: 'asleep',
    maxSize: (int) ($_GET['max'] ?? 16),
    idleTimeoutMs: (int) ($_GET['idle_ms'] ?? 300000),
    persistent: true,
    acceptGate: ($_GET['gate'] ?? '') === '1',
);
if (isset($_GET['hold_ms'])) {
    $began = hrtime(true);
    $handle = $pool->acquireTimeout((int) ($_GET['timeout_ms'] ?? 30000));
    $said['acquire_ms'] = (hrtime(true) - $began) / 1e6;
    $handle->get()->query('SELECT 1')->fetchAll();
    usleep(1000 * (int) $_GET['hold_ms']);
    unset($handle);
}
usleep(1000 * (int) ($_GET['sleep_ms'] ?? 0));
echo json_encode($said);
