--TEST--
Many signals do not wear out or extend the deadline of acquireTimeout()
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';

pcntl_async_signals(true);
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
$handle = $pool->acquire();
$signals = 0;
pcntl_signal(SIGUSR1, function () use (&$signals) { $signals++; });
$sender = new Worker('
    while (posix_kill($test, SIGUSR1)) { usleep(20000); }
', ['test' => getmypid()]);
wait_until(function () use (&$signals) { return $signals > 0; }, 'signals');
$started = hrtime(true);
echo strstr(thrown(fn () => $pool->acquireTimeout(500)), ':', true), "\n";
$ms = (hrtime(true) - $started) / 1e6;
var_dump($ms >= 500, $signals > 3);
$sender->signal(9);
?>
--EXPECT--
OxPHP\Shared\OperationTimeoutException
bool(true)
bool(true)
