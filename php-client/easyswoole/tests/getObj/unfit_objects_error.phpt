--TEST--
An unfit object is closed and another tried, at most tryTimes more: then null, or what the last check threw
--FILE--
<?php
require __DIR__ . '/../support.inc';

function trial(int $tryTimes, Closure ...$checks): void
{
    $pool = thing_pool();
    $checked = 0;
    Thing::$isQuiet = true;
    $pool->create = function () use (&$checked, $checks) {
        $thing = new Thing();
        $thing->on['beforeUse'] = function () use (&$checked, $checks) {
            return ($checks[$checked++] ?? end($checks))();
        };
        return $thing;
    };
    try {
        $object = $pool->getObj(5, $tryTimes);
        $result = $object === null ? 'null' : 'an object';
    } catch (Throwable $e) {
        $result = get_class($e) . ': ' . $e->getMessage();
    }
    echo "tryTimes $tryTimes: $checked checks, $result; ", short_status($pool), "\n";
}

$no = fn () => false;
$yes = fn () => true;
$throw = fn () => throw new DomainException('broken');
trial(3, $no);
trial(0, $no);
trial(-1, $no);
trial(3, $throw);
trial(1, $no, $throw);
trial(1, $throw, $no);
trial(3, $no, $throw, $no, $yes);

$pool = thing_pool();
$pool->create = function () {
    $thing = new Thing();
    $thing->on['beforeUse'] = fn () => false;
    return $thing;
};
echo refused(fn () => $pool->invoke(fn () => null)), "\n", refused(fn () => $pool->defer()), "\n";
Thing::$isQuiet = false;
echo "an idle one: ";
unset($pool->create);
$thing = $pool->getObj();
$pool->recycleObj($thing);
$thing->on['beforeUse'] = fn () => false;
$other = $pool->getObj();
echo $other->number - $thing->number, " later\n";
?>
--EXPECT--
tryTimes 3: 4 checks, null; created 0, in use 0, idle 0
tryTimes 0: 1 checks, null; created 0, in use 0, idle 0
tryTimes -1: 1 checks, null; created 0, in use 0, idle 0
tryTimes 3: 4 checks, DomainException: broken; created 0, in use 0, idle 0
tryTimes 1: 2 checks, DomainException: broken; created 0, in use 0, idle 0
tryTimes 1: 2 checks, null; created 0, in use 0, idle 0
tryTimes 3: 4 checks, an object; created 1, in use 1, idle 0
EasySwoole\Pool\Exception\PoolEmpty: pool is empty: no object was fit
EasySwoole\Pool\Exception\PoolEmpty: pool is empty: no object was fit
an idle one:   27 beforeUse
  27 objectRestore
  27 beforeUse
  27 gc
  28 beforeUse
1 later
