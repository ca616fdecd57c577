--TEST--
What createObject() takes after a wait is no part of the wait
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
$pool = thing_pool(['maxObjectNum' => 1, 'name' => $name = fresh_name('slow')]);
$worker = new Worker('require_once $support; Thing::$isQuiet = true;
    $pool = thing_pool(["maxObjectNum" => 1, "name" => $name]);
    $object = $pool->getObj(); say("has it"); hear(); usleep(20_000); $pool->unsetObj($object);',
    ['name' => $name, 'support' => __DIR__ . '/../support.inc']);
$worker->expect('has it');
$pool->create = function () {
    usleep(200_000);
    return new Thing();
};
$worker->tell('give it soon');
$begun = hrtime(true);
$object = $pool->getObj(30);
$elapsed = (hrtime(true) - $begun) / 1e9;
// Rounded to two decimals.
echo $pool->status()['loadAverageTime'] <= $elapsed - 0.2 + 0.005 ? "the wait alone\n" : "{$pool->status()['loadAverageTime']} s of $elapsed s\n";
?>
--EXPECT--
the wait alone
