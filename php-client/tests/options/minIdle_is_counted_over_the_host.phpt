--TEST--
minIdle counts the idle resources of all workers together
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('host');
$code = '
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 6, idleTimeoutMs: 50, name: $name, minIdle: 2);
    $handles = [$pool->acquire(), $pool->acquire(), $pool->acquire()];
    $handles = [];
    say("idle");
    while (stream_select($r, $w, $e, 0) !== 0 || !feof(STDIN)) {
        $pool->tick();
        usleep(5000);
        $read = [STDIN]; $none = null;
        if (stream_select($read, $none, $none, 0) > 0) {
            break;
        }
    }
';
$code = str_replace('stream_select($r, $w, $e, 0) !== 0 || !feof(STDIN)', 'true', $code);
$workers = [new Worker($code, ['name' => $name]), new Worker($code, ['name' => $name])];
foreach ($workers as $worker) {
    $worker->expect('idle');
}
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 6, idleTimeoutMs: 50, name: $name, minIdle: 2);
wait_until(fn () => $pool->stats()->idle() <= 2, 'the rest to be closed');
$least = 6;
for ($i = 0; $i < 60; ++$i) {
    usleep(20_000);
    $least = min($least, $pool->stats()->idle());
}
echo "$least\n";
foreach ($workers as $worker) {
    $worker->tell('end');
    $worker->end();
}
?>
--EXPECT--
2
