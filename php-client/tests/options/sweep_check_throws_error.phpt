--TEST--
A check that throws or returns no boolean closes the resource and is written to the log; the sweep goes on
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$log = new ErrorLog();
$pool = new Pool(factory: fn () => new Resource(), maxSize: 8, name: 'swept');
$pool->warm(3);
echo $pool->sweep(fn (Resource $r) => match ($r->number) {
    1 => throw new DomainException('dead'),
    2 => null,
    3 => true,
}, 10), " closed\n", counts($pool), "\n";
print_r(preg_replace('~ in \S+/~', ' in ', $log->lines()));
foreach ([0, -3] as $limit) {
    echo thrown(fn () => $pool->sweep(fn () => true, $limit)), "\n";
}
?>
--EXPECT--
resource 1 is gone
resource 2 is gone
2 closed
in use 0, idle 1, waiting 0, max 8
Array
(
    [0] => oxpool: pool 'swept': the check of sweep() threw, and the resource is closed: DomainException: dead in sweep_check_throws_error.php:10
    [1] => oxpool: pool 'swept': the check of sweep() returned null and the resource is closed; it must return true or false
)
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::sweep(): Argument #2 ($limit) must be at least 1, 0 given
OxPHP\Shared\TypeException: OxPHP\Shared\Pool::sweep(): Argument #2 ($limit) must be at least 1, -3 given
resource 3 is gone
