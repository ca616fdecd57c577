--TEST--
Failed validations do not extend the deadline: past it nothing more is asked or made
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$asked = 0;
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 10, name: fresh_name('slow to ask'), validateAfterIdleMs: 0,
    validate: function () use (&$asked): bool {
        ++$asked;
        $end = hrtime(true) + 80_000_000;
        while (hrtime(true) < $end);
        return false;
    });
$pool->warm(10);
$begin = hrtime(true);
echo preg_replace('/ \(in use.*/', '', str_replace($pool->name(), 'NAME', thrown(fn () => $pool->acquireTimeout(100)))), "\n";
echo $asked, ' asked, ', $pool->stats()->idle(), " left\n";
$asked = 0;
$handle = $pool->tryAcquire();
echo 'without a deadline all are asked: ', $asked, ', ', get_class($handle), "\n";
?>
--EXPECT--
OxPHP\Shared\OperationTimeoutException: pool 'NAME': no slot within 100 ms
2 asked, 8 left
without a deadline all are asked: 8, OxPHP\Shared\Pool\Handle
