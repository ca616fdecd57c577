--TEST--
Without a daemon idle timeouts are served by the owner's own calls
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../support.inc';

$closed = 0;
$destroy = function () use (&$closed) {
    $closed++;
};
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), destroy: $destroy, idleTimeoutMs: 200, name: 'idles');
$forever = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), destroy: $destroy, idleTimeoutMs: 0, name: 'stays');
$pool->acquire()->release();
$forever->acquire()->release();
$since = hrtime(true);
// Calls of any pool will do.
wait_until(function () use ($forever, &$closed) {
    $forever->with(fn () => null);
    return $closed > 0;
}, 'the idle timeout');
var_dump(hrtime(true) - $since >= 190e6);
echo counts($pool), "\n", counts($forever), "\n";

// A resource whose time is over is not handed out any more.
$first = $pool->with(fn ($r) => spl_object_id($r));
$pool->with(function ($r) use ($first) {
    var_dump(spl_object_id($r) === $first);
});
usleep(450000);
$closed = 0;
$pool->with(fn () => null);
var_dump($closed);
?>
--EXPECT--
bool(true)
in use 0, idle 0, waiting 0, max 32
in use 0, idle 1, waiting 0, max 32
bool(true)
int(1)
