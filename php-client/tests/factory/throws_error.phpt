--TEST--
What a factory throws reaches the caller unchanged; the unit is back at once
--FILE--
<?php
require __DIR__ . '/../support.inc';

$fails = true;
$failure = new DomainException('no server');
$pool = new OxPHP\Shared\Pool(factory: function () use (&$fails, $failure) {
    if ($fails) {
        throw $failure;
    }
    return new stdClass();
}, maxSize: 1);
foreach ([fn () => $pool->acquire(), fn () => $pool->tryAcquire(), fn () => $pool->acquireTimeout(50),
    fn () => $pool->with(fn () => null), fn () => $pool->withTimeout(fn () => null, 50)] as $call) {
    try {
        $call();
    } catch (DomainException $caught) {
        var_dump($caught === $failure);
    }
}
echo counts($pool), "\n";
$fails = false;
echo $pool->with('get_class'), "\n";
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
in use 0, idle 0, waiting 0, max 1
stdClass
