--TEST--
While the daemon is down, workers that are attached go on; when it is back, so is everything
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
$code = '
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), destroy: fn () => say("destroy"), maxSize: 1, name: "restarts");
    say("attached " . $pool->id());
    while (($command = hear()) !== null) {
        switch ($command) {
            case "acquire": $handle = $pool->acquireTimeout(30000); say(counts($pool)); break;
            case "release":
                wait_until(fn () => $pool->stats()->waiting() === 1, "the other to wait");
                unset($handle);
                say("released");
                break;
            case "end": exit(0);
        }
    }
';
$one = new Worker($code, [], $daemon->options());
$two = new Worker($code, [], $daemon->options());
$one->expect('attached 1');
$two->expect('attached 1');
$daemon->kill();
$one->tell('acquire');
$one->expect('in use 1, idle 0, waiting 0, max 1');
$two->tell('acquire');
$one->tell('release'); // once the other waits
$one->expect(['destroy', 'released']);
$two->expect('in use 1, idle 0, waiting 0, max 1');
$late = new Worker('say(thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: "late")));', [], $daemon->options());
echo str_starts_with($late->line(), 'OxPHP\Shared\SharedException: ') ? "a new one is told\n" : "wrong\n";
$daemon->start();
$late = new Worker($code, [], $daemon->options());
$late->expect('attached 1');
$late->tell('acquire');
$two->tell('release');
$two->expect(['destroy', 'released']);
$late->expect('in use 1, idle 0, waiting 0, max 1');
foreach ([$one, $two, $late] as $worker) {
    $worker->tell('end');
    $worker->end();
}
echo "all ended\n";
?>
--EXPECT--
a new one is told
all ended
