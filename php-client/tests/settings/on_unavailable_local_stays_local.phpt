--TEST--
Who has begun without a daemon goes on without it; processes that are no forks of it have budgets of their own
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../support.inc';

$directory = '/dev/shm/oxpool-phpt-' . getmypid();
$options = "-d oxpool.runtime_dir=$directory -d error_log=/dev/null -d oxpool.on_unavailable=";
$code = '
    while (hear() !== null) {
        $pools[] = $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: "p");
        $handle ??= $pool->acquire();
        say($pool->stats()->inUse() . " " . var_export($pool->tryAcquire(), true));
    }
    if (pcntl_fork() === 0) {
        say("forked: " . $pool->stats()->inUse());
        say(implode(preg_grep("/^(This worker|Daemon reachable) /", explode("\\n", oxpool_info()))));
    }
    pcntl_wait($status);
';
$before = new Worker($code, [], $options . 'local');
$beside = new Worker($code, [], $options . 'local');
$before->tell('go');
echo $before->line(), "\n";
$beside->tell('go');
echo $beside->line(), "\n";

$daemon = new Daemon();
$after = new Worker($code, [], $options . 'error');
$after->tell('go');
echo $after->line(), "\n";
// None of these knows of the others' unit.
foreach ([$before, $beside, $after] as $worker) {
    $worker->tell('go');
    echo $worker->line(), "\n";
}
$after->end();
$before->close();
echo str_replace($directory, 'DIRECTORY', $before->rest());
?>
--EXPECT--
1 NULL
1 NULL
1 NULL
1 NULL
1 NULL
1 NULL
forked: 1
Daemon reachable => yesThis worker => local: pools and mutexes hold for this process and its forks only (oxpoold at DIRECTORY/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?)
