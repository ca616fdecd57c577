--TEST--
While the daemon is down, attached workers go on with their mutexes, and notice a holder that is killed
--SKIPIF--
<?php
if (!is_executable((string) getenv('OXPOOL_BIN'))) {
    die('skip OXPOOL_BIN is not set to an oxpoold');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$daemon = new Daemon();
$code = '
    $mutex = new OxPHP\Shared\Mutex(0, "restarts", OxPHP\Shared\Mutex::RECOVER);
    say("attached");
    while (($command = hear()) !== null) {
        match ($command) {
            "count" => say((string) $mutex->withLock(fn (int &$value) => ++$value)),
            "hold" => $mutex->withLock(function () { say("holds"); hear(); }),
        };
    }
';
$one = new Worker($code, [], $daemon->options());
$two = new Worker($code, [], $daemon->options());
$one->expect('attached');
$two->expect('attached');
$daemon->kill();
foreach ([$one, $two] as $i => $worker) {
    $worker->tell('count');
    $worker->expect((string) ($i + 1));
}
$one->tell('hold');
$one->expect('holds');
$two->tell('count');
wait_until($two->sleeps(...), 'the wait');
$one->signal(9);
$two->expect('3');
$daemon->start();
$late = new Worker($code, [], $daemon->options());
$late->expect('attached');
$late->tell('count');
$late->expect('4');
$two->end();
$late->end();
echo "all ended\n";
?>
--EXPECT--
all ended
