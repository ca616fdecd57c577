--TEST--
acquire() and with() throw DeadlockException when this thread holds every unit; the timed and try forms do not
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 2);
$one = $pool->acquire();
echo $pool->with(function () use ($pool) {
    echo strstr(thrown(fn () => $pool->acquire()), ':', true), "\n";
    echo strstr(thrown(fn () => $pool->with(fn () => null)), ':', true), "\n";
    echo strstr(thrown(fn () => $pool->acquireTimeout(1)), ':', true), "\n";
    var_dump($pool->tryAcquire());
    return counts($pool);
}), "\n";
$two = $pool->acquire();
echo counts($pool), "\n";
?>
--EXPECT--
OxPHP\Shared\DeadlockException
OxPHP\Shared\DeadlockException
OxPHP\Shared\OperationTimeoutException
NULL
in use 2, idle 0, waiting 0, max 2
in use 2, idle 0, waiting 0, max 2
