--TEST--
phpinfo() of a worker without a daemon says that its pools are local, and why; a forked child has none until it asks
--EXTENSIONS--
pcntl
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
oxpool.on_unavailable=local
error_log=/dev/null
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

$interesting = fn (): string => implode("\n", preg_grep('/^(This worker|here) /', explode("\n", oxpool_info()))) . "\n";
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 5, name: 'here');
$handle = $pool->acquire();
echo $interesting();
if (pcntl_fork() === 0) {
    echo $interesting();
    $pool->acquire()->release();
    echo $interesting();
    exit(0);
}
pcntl_wait($status);
echo $interesting();
?>
--EXPECT--
This worker => local: pools and mutexes hold for this process and its forks only (oxpoold at /nonexistent/oxpool/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?)
here => 1 => 1 => 0 => 5
This worker => not attached
This worker => local: pools and mutexes hold for this process and its forks only (oxpoold at /nonexistent/oxpool/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?)
here => 1 => 0 => 1 => 5
This worker => local: pools and mutexes hold for this process and its forks only (oxpoold at /nonexistent/oxpool/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?)
here => 1 => 1 => 0 => 5
