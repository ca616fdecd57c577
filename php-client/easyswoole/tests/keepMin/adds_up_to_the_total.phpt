--TEST--
keepMin() makes objects until the host has so many, borrowed ones included, up to maxObjectNum; it returns how many
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 6, 'minObjectNum' => 2]);
$borrowed = $pool->getObj();
foreach ([null, null, 0, 1, 4, 100] as $num) {
    echo json_encode($num), ': ', $pool->keepMin($num), ' added; ', short_status($pool), "\n";
}
$pool = thing_pool(['maxObjectNum' => 2, 'minObjectNum' => 2]);
echo $pool->keepMin(0), ' ', $pool->keepMin(-3), ' ', $pool->keepMin(), ' ', short_status($pool), "\n";

// Those of another process count: the cap is the host's, and so is the minimum.
$pool = thing_pool(['maxObjectNum' => 3, 'minObjectNum' => 3, 'name' => $name = fresh_name('host')]);
$worker = new Worker('require_once $support; Thing::$isQuiet = true;
    $pool = thing_pool(["maxObjectNum" => 3, "minObjectNum" => 3, "name" => $name]);
    say($pool->keepMin(2)); hear();', ['name' => $name, 'support' => __DIR__ . '/../support.inc']);
$worker->expect('2');
echo $pool->keepMin(), ' ', short_status($pool), "\n";
$worker->tell('end');
$worker->end();
?>
--EXPECT--
null: 1 added; created 2, in use 1, idle 1
null: 0 added; created 2, in use 1, idle 1
0: 0 added; created 2, in use 1, idle 1
1: 0 added; created 2, in use 1, idle 1
4: 2 added; created 4, in use 1, idle 3
100: 2 added; created 6, in use 1, idle 5
0 0 2 created 2, in use 0, idle 2
1 created 3, in use 0, idle 3
