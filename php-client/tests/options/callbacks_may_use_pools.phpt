--TEST--
validate, reset and the check of sweep() may use this and other pools; what they look at is nobody else's meanwhile
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$other = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: fresh_name('other'));
$use = function () use ($other, &$pool): bool {
    return $other->with(fn () => true) && $pool->tryAcquire() === null;
};
$pool = new Pool(factory: fn () => new Resource(), maxSize: 1, name: fresh_name('nested'),
    validate: $use, validateAfterIdleMs: 0, reset: fn () => $use() ?: throw new LogicException('another one had it'));
for ($i = 0; $i < 3; ++$i) {
    echo $pool->with(fn (Resource $r) => $r->number), "\n";
}
echo $pool->sweep($use, 5), " closed\n", counts($pool), "\n";
?>
--EXPECT--
1
1
1
0 closed
in use 0, idle 1, waiting 0, max 1
resource 1 is gone
