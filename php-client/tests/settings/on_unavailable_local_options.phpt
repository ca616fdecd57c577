--TEST--
Without a daemon lifetimes end, minIdle is spared and the registry has the names that were given
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../support.inc';

use OxPHP\Shared\Pool;
use OxPHP\Shared\Registry;

$closed = 0;
$destroy = function () use (&$closed) {
    $closed++;
};
$short = new Pool(factory: fn () => new stdClass(), destroy: $destroy, name: 'short', idleTimeoutMs: 0, maxLifetimeMs: 100);
$short->acquire()->release();
wait_until(fn () => $short->tick() + $closed > 0, 'the end of a lifetime');
echo counts($short), "\n";

$spared = new Pool(factory: fn () => new stdClass(), name: 'spared', idleTimeoutMs: 100, minIdle: 1);
$handles = [$spared->acquire(), $spared->acquire(), $spared->acquire()];
array_map(fn ($handle) => $handle->release(), $handles);
wait_until(function () use ($spared) {
    $spared->tick();
    return $spared->stats()->idle() < 3;
}, 'idle timeouts');
for ($i = 0; $i < 5; $i++) {
    usleep(60000);
    $spared->tick();
}
echo counts($spared), "\n";

$keys = Registry::keys();
sort($keys);
echo implode(' ', $keys), "\n";
?>
--EXPECT--
in use 0, idle 0, waiting 0, max 32
in use 0, idle 1, waiting 0, max 32
short spared
