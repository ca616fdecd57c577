--TEST--
acquireTimeout() on a full pool throws OperationTimeoutException, not before its time, with the pool's numbers
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name = fresh_name('full'));
$handle = $pool->acquire();
$started = hrtime(true);
try {
    $pool->acquireTimeout(120);
} catch (OxPHP\Shared\OperationTimeoutException $e) {
    var_dump(hrtime(true) - $started >= 120e6);
    echo str_replace($name, 'NAME', $e->getMessage()), "\n";
    var_dump($e instanceof OxPHP\Async\AsyncException, $e instanceof OxPHP\Shared\SharedException);
}
echo thrown(fn () => $pool->withTimeout(fn () => null, 1)) === 'nothing' ? 'wrong' : 'withTimeout too', "\n";
echo counts($pool), "\n";
?>
--EXPECTF--
bool(true)
pool 'NAME': no slot within 120 ms (in use 1, idle 0, minting 0, closing 0, waiting 0, max 1, waited %d ms)
bool(true)
bool(false)
withTimeout too
in use 1, idle 0, waiting 0, max 1
