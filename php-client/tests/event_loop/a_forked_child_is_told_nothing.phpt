--TEST--
A forked child's copy of wakeStream() never becomes readable, also while its parent is told; it can have its own
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../support.inc';

function readable($stream, int $ms): bool
{
    $read = [$stream];
    $none = null;
    return stream_select($read, $none, $none, 0, 1000 * $ms) === 1;
}

$name = fresh_name('forked');
$pool = new OxPHP\Shared\Pool(fn () => new stdClass(), maxSize: 1, name: $name);
$stream = $pool->wakeStream();
$pool->with(fn () => null);
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fread($there, 1);
    // The parent's is readable now.
    echo readable($stream, 0) ? "told\n" : "not told\n";
    var_dump(is_resource($pool->wakeStream()), readable($pool->wakeStream(), 0));
    fwrite($there, 'x');
    exit;
}
$waiter = new Worker('
    $pool = new OxPHP\Shared\Pool(fn () => new stdClass(), maxSize: 1, name: $name);
    $handle = $pool->acquireTimeout(30000);
    say("has it");
    hear();
', ['name' => $name]);
var_dump(readable($stream, 30000));
fwrite($here, 'x');
fread($here, 1);
var_dump(readable($stream, 0));
echo $pool->tick(), "\n";
$waiter->expect('has it');
pcntl_waitpid($pid, $status);
?>
--EXPECT--
bool(true)
not told
bool(true)
bool(false)
bool(true)
1
