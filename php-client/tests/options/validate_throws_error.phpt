--TEST--
validate that throws or returns no boolean closes the resource, says so in the log, and the acquire goes on
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$log = new ErrorLog();
$answers = [fn () => throw new DomainException('gone away'), fn () => null, fn () => 1, fn () => true];
$pool = new Pool(factory: fn () => new Resource(), maxSize: 1, name: 'asked', validateAfterIdleMs: 0,
    validate: function (Resource $r) use (&$answers) { return array_shift($answers)(); });
for ($i = 0; $i < 5; ++$i) {
    echo 'got ' . $pool->with(fn (Resource $r) => $r->number) . "\n";
}
echo counts($pool), "\n";
print_r(preg_replace('~ in \S+/~', ' in ', $log->lines()));
?>
--EXPECT--
got 1
resource 1 is gone
got 2
resource 2 is gone
got 3
resource 3 is gone
got 4
got 4
in use 0, idle 1, waiting 0, max 1
Array
(
    [0] => oxpool: pool 'asked': validate threw, and the resource is closed: DomainException: gone away in validate_throws_error.php:7
    [1] => oxpool: pool 'asked': validate returned null and the resource is closed; it must return true or false
    [2] => oxpool: pool 'asked': validate returned int and the resource is closed; it must return true or false
)
resource 4 is gone
