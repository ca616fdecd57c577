--TEST--
A signal handler forks while the parent waits: the child's call goes on for the child, the parent's for the parent
--EXTENSIONS--
pcntl
posix
--INI--
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

pcntl_async_signals(true);
$name = fresh_name('fork in a wait');
$holder = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2, name: $name);
    $handles = [$pool->acquire(), $pool->acquire()];
    say("holds");
    hear();
    unset($handles);
    $pool->evict();
    say("released");
    hear();
', ['name' => $name]);
$holder->expect('holds');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2, name: $name);
$child = null;
pcntl_signal(SIGUSR1, function () use (&$child) {
    $child = pcntl_fork();
    pcntl_alarm($child === 0 ? 0 : 1);
});
$test = getmypid();
$trigger = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2, name: $name);
    wait_until(fn () => $pool->stats()->waiting() === 1, "the wait");
    posix_kill($test, SIGUSR1);
    wait_until(fn () => $pool->stats()->waiting() === 2, "two to wait");
    say("two wait");
    hear();
', ['name' => $name, 'test' => $test]);
$go_on = new class($trigger, $holder) {
    public function __construct(private Worker $trigger, private Worker $holder) {}
    public function release(): void { $this->trigger->expect('two wait'); $this->holder->tell('go'); $this->holder->expect('released'); }
};
pcntl_signal(SIGALRM, fn () => $go_on->release());
$handle = $pool->acquireTimeout(60000);
if ($child === 0) {
    echo "the child has one\n";
    posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($child, $status);
echo get_class($handle->get()), "\n";
wait_until(fn () => $pool->stats()->inUse() === 1, 'the counts');
echo counts($pool), "\n";
?>
--EXPECT--
the child has one
stdClass
in use 1, idle 0, waiting 0, max 2
