--TEST--
With oxpool.on_unavailable=local mutexes hold for this process and its forks; a killed child corrupts
--EXTENSIONS--
pcntl
posix
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

ini_set('error_log', '/dev/null');
$mutex = new Mutex(0, 'local');
$recovers = new Mutex(0, 'recovers', Mutex::RECOVER);
$children = [];
for ($i = 0; $i < 4; $i++) {
    if (($pid = pcntl_fork()) === 0) {
        for ($j = 0; $j < 1000; $j++) {
            $mutex->withLock(fn (int &$value) => ++$value);
        }
        exit(0);
    }
    $children[] = $pid;
}
foreach ($children as $pid) {
    pcntl_waitpid($pid, $status);
}
echo value_of($mutex), "\n";
foreach ([$mutex, $recovers] as $killed) {
    if (($pid = pcntl_fork()) === 0) {
        $killed->withLock(function (int &$value) {
            $value = -1;
            posix_kill(getmypid(), 9);
        });
    }
    pcntl_waitpid($pid, $status);
    echo strstr(thrown(fn () => $killed->withLock(fn () => 1)), ':', true) ?: value_of($killed), "\n";
}
echo implode(' ', Registry::keys()), ' ', Registry::count(), "\n";
?>
--EXPECT--
4000
OxPHP\Shared\CorruptedMutexException
0
local recovers 2
