--TEST--
A daemon with a new segment does not know this worker: it destroys what is idle, attaches anew, and what was in use is destroyed when it comes back
--EXTENSIONS--
posix
--SKIPIF--
<?php
if (!is_executable((string) getenv('OXPOOL_BIN'))) {
    die('skip OXPOOL_BIN is not set to an oxpoold');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';

$daemon = new Daemon();
$worker = new Worker('
    $made = 0;
    $pool = new OxPHP\Shared\Pool(factory: function () use (&$made) { return (object) ["number" => ++$made]; },
        destroy: fn ($r) => say("destroy {$r->number}"), maxSize: 3, name: "forgotten");
    $used = $pool->acquire();
    $pool->acquire()->release();
    say(counts($pool));
    hear();
    // The session is looked after in slow paths, at most once a second.
    wait_until(function () use ($pool) {
        new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: "a slow path");
        return $pool->stats()->inUse() === 0;
    }, "a new life");
    say("in use was " . $used->get()->number);
    $used->release();
    say(counts($pool));
    $pool->with(fn ($r) => say("with " . ($r->number > 2 ? "a new one" : "an old one")));
', [], $daemon->options());
$worker->expect('in use 1, idle 1, waiting 0, max 3');
$daemon->kill();
$daemon->forget();
$daemon->start();
$worker->tell('go on');
$lines = explode("\n", trim($worker->rest()));
$destroyed = preg_grep('/^destroy/', $lines);
var_dump(count($destroyed) === count(array_unique($destroyed)));
$told = array_flip($lines);
var_dump($told['destroy 2'] < $told['in use was 1'], $told['in use was 1'] < $told['destroy 1']);
echo implode("\n", preg_grep('/^destroy/', $lines, PREG_GREP_INVERT)), "\n";
$worker->end();
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
in use was 1
in use 0, idle 0, waiting 0, max 3
with a new one
