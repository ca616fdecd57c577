--TEST--
A signal handler that forks while withLock() waits: the child waits anew for itself, the parent keeps its place
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

pcntl_async_signals(true);
$mutex = new Mutex(0, fresh_name('fork waits'));
$holder = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $mutex->withLock(function () use ($test) {
        say("holds");
        wait_until(fn () => preg_match("/\) S /", file_get_contents("/proc/$test/stat")) === 1, "the wait");
        posix_kill($test, SIGUSR1);
        hear();
    });
    hear();
', ['name' => $mutex->name(), 'test' => getmypid()]);
$holder->expect('holds');
$pid = -1;
pcntl_signal(SIGUSR1, function () use (&$pid, $holder) {
    $pid = pcntl_fork();
    if ($pid > 0) {
        $holder->tell('let go');
    }
});
$mutex->withLock(fn (&$value) => ++$value);
if ($pid === 0) {
    exit(0);
}
pcntl_waitpid($pid, $status);
echo value_of($mutex), "\n";
?>
--EXPECT--
2
