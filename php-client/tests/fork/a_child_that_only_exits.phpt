--TEST--
A child that touches no pool destroys nothing and takes nothing from its parent when it ends, however it ends
--EXTENSIONS--
pcntl
--INI--
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Inner
{
    public function __destruct()
    {
        echo "inner is gone\n";
    }
}
$pool = new OxPHP\Shared\Pool(factory: function () {
    $resource = new stdClass();
    $resource->inner = new Inner();
    $resource->list = [new Inner()];
    $resource->cycle = $resource;
    return $resource;
}, destroy: fn () => print("destroy\n"), maxSize: 3, name: fresh_name('fork'));
$handle = $pool->acquire();
$pool->acquire()->release();
foreach (['normal', 'exit', 'exception', 'fatal'] as $end) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        ini_set('display_errors', '0');
        ini_set('log_errors', '0');
        if ($end === 'exit') {
            exit(0);
        }
        if ($end === 'exception') {
            throw new DomainException('the child');
        }
        if ($end === 'fatal') {
            trigger_error('the child', E_USER_ERROR);
        }
        return;
    }
    pcntl_waitpid($pid, $status);
    echo "$end: ", counts($pool), "\n";
}
echo get_class($handle->get()->inner), "\n";
$handle->discard();
gc_collect_cycles();
echo "the parent ends\n";
?>
--EXPECT--
normal: in use 1, idle 1, waiting 0, max 3
exit: in use 1, idle 1, waiting 0, max 3
exception: in use 1, idle 1, waiting 0, max 3
fatal: in use 1, idle 1, waiting 0, max 3
Inner
destroy
inner is gone
inner is gone
the parent ends
destroy
inner is gone
inner is gone
