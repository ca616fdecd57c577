--TEST--
A fork inside a body, a factory or a destroy: the child goes on and has nothing, the parent is as before
--EXTENSIONS--
pcntl
--INI--
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Tells
{
    public function __destruct()
    {
        echo $GLOBALS['child'] ? 'child ' : 'parent', " resource is gone\n";
    }
}

$fork = false;
$child = false;
function fork_here(): void
{
    global $fork, $child;
    if (!$fork) {
        return;
    }
    $fork = false;
    $pid = pcntl_fork();
    if ($pid === 0) {
        $child = true;
        return;
    }
    pcntl_waitpid($pid, $status);
}
function show(string $what): void
{
    global $child, $pool;
    echo $child ? 'child  ' : 'parent ', str_pad($what, 8), ': ', counts($pool), "\n";
    if ($child) {
        exit(0);
    }
}
$pool = new OxPHP\Shared\Pool(factory: function () {
    fork_here();
    return new Tells();
}, destroy: function () {
    fork_here();
}, maxSize: 2, name: fresh_name('forks'));

$pool->with(function () use (&$fork) {
    $fork = true;
    fork_here();
});
show('body');
$pool->evict();
$fork = true;
$handle = $pool->acquire();
show('factory');
$fork = true;
$handle->discard();
show('destroy');
echo "the parent ends\n";
?>
--EXPECT--
child  body    : in use 1, idle 0, waiting 0, max 2
parent body    : in use 0, idle 1, waiting 0, max 2
parent resource is gone
child  factory : in use 1, idle 0, waiting 0, max 2
child  resource is gone
parent factory : in use 1, idle 0, waiting 0, max 2
child  destroy : in use 0, idle 0, waiting 0, max 2
parent resource is gone
parent destroy : in use 0, idle 0, waiting 0, max 2
the parent ends
