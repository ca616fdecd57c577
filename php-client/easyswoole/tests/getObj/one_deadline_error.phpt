--TEST--
The timeout is one deadline over wait, creation and checks: past it nothing is begun
--FILE--
<?php
require __DIR__ . '/../support.inc';

Thing::$isQuiet = true;
// Each attempt takes 300 ms: the second one ends past 500 ms, and there is no third.
$pool = thing_pool();
$made = 0;
$pool->create = function () use (&$made) {
    ++$made;
    usleep(300_000);
    $thing = new Thing();
    $thing->on['beforeUse'] = fn () => throw new DomainException('broken');
    return $thing;
};
try {
    $pool->getObj(0.5, 100);
} catch (EasySwoole\Pool\Exception\PoolEmpty $e) {
    echo $made < 3 ? "at most two were made\n" : "$made were made\n", get_class($e->getPrevious()), ': ', $e->getPrevious()->getMessage(), "\n";
}

// What was begun in time is handed out, though late.
$pool = thing_pool();
$pool->create = function () {
    usleep(300_000);
    return new Thing();
};
$object = $pool->getObj(0.2);
echo get_class($object), "\n";

// Slow checks count, too.
$pool = thing_pool();
$pool->create = function () {
    $thing = new Thing();
    $thing->on['beforeUse'] = function () {
        usleep(300_000);
        return false;
    };
    return $thing;
};
$before = Thing::$made;
echo refused(fn () => $pool->getObj(0.2, 100)), ' ', Thing::$made - $before, "\n";
?>
--EXPECT--
at most two were made
DomainException: broken
Thing
EasySwoole\Pool\Exception\PoolEmpty: pool '…' is empty: the last object tried was not fit (timeout 0.2 s; in use 0, idle 0, waiting 0, max 2) 1
