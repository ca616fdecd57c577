--TEST--
A fork inside a closure: the child gets a SharedException and can use the mutex, the parent commits
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('old', fresh_name('fork'));
$parent = getmypid();
$message = thrown(fn () => $mutex->withLock(function (&$value) {
    $value = 'new';
    $pid = pcntl_fork();
    if ($pid > 0) {
        pcntl_waitpid($pid, $status);
    }
}));
if (getmypid() !== $parent) {
    echo 'child: ', str_replace($mutex->name(), 'NAME', $message), "\n";
    echo 'child: ', strstr(thrown(fn () => $mutex->tryWithLock(fn () => 1)), ':', true), "\n"; // the parent has it
    exit(0);
}
echo "parent: $message, ", value_of($mutex), "\n";
// With an exception of its own, and by a child that only ends.
try {
    $mutex->withLock(function (&$value) {
        $value = 'newer';
        $pid = pcntl_fork();
        if ($pid === 0) {
            throw new DomainException('in the child');
        }
        pcntl_waitpid($pid, $status);
        if (($pid = pcntl_fork()) === 0) {
            exit(0);
        }
        pcntl_waitpid($pid, $status);
    });
} catch (Throwable $e) {
    echo getmypid() !== $parent ? 'child: ' : 'parent: ', get_class($e), ' <- ', get_class($e->getPrevious()), "\n";
}
if (getmypid() !== $parent) {
    exit(0);
}
// After the fork both have it, one at a time.
$pid = pcntl_fork();
for ($i = 0; $i < 1000; $i++) {
    $mutex->withLock(fn (&$value) => $value = is_int($value) ? $value + 1 : 1);
}
if ($pid === 0) {
    exit(0);
}
pcntl_waitpid($pid, $status);
echo 'parent: ', value_of($mutex), "\n";
// What the child inherited was replaced before it used it.
[$ours, $childs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fgets($childs);
    echo 'child: ', strstr(thrown(fn () => $mutex->withLock(fn () => 1)), ':', true), "\n";
    echo 'child: ', value_of(new Mutex('ignored', $mutex->name())), "\n";
    exit(0);
}
Registry::remove($mutex->name());
$replaced = new Mutex('replaced', $mutex->name());
fwrite($ours, "go on\n");
pcntl_waitpid($pid, $status);
?>
--EXPECT--
child: OxPHP\Shared\SharedException: mutex 'NAME': the process was forked inside the closure: the lock and the value are the parent's, and nothing is committed here
child: OxPHP\Shared\ContentionException
parent: nothing, new
child: OxPHP\Shared\SharedException <- DomainException
parent: 2000
child: OxPHP\Shared\StaleHandleException
child: replaced
