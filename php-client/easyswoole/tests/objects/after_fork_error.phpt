--TEST--
A forked child has nothing of its parent's: what was borrowed there is neither restored nor closed here
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) echo 'skip needs pcntl'; ?>
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = thing_pool();
$borrowed = $pool->getObj();
$pool->keepMin(2);
if (pcntl_fork() === 0) {
    echo 'child: ', json_encode([$pool->recycleObj($borrowed), $pool->unsetObj($borrowed)]), "\n";
    exit;
}
pcntl_wait($status);
echo 'parent: ', json_encode($pool->recycleObj($borrowed)), ' ', short_status($pool), "\n";
?>
--EXPECT--
  1 beforeUse
child: [false,false]
parent:   1 objectRestore
true created 2, in use 0, idle 2
  1 gc
  2 gc
