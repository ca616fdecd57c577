--TEST--
A resource whose own destructor throws when the pool drops it: logged, not raised
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Grumpy
{
    public function __destruct()
    {
        throw new DomainException('grumpy');
    }
}
$log = new ErrorLog();
$pool = new OxPHP\Shared\Pool(factory: fn () => new Grumpy(), maxSize: 1, name: 'grumpy');
$pool->acquire()->discard();
echo counts($pool), "\n";
print_r(preg_replace('~ in \S+/~', ' in ', $log->lines()));
?>
--EXPECT--
in use 0, idle 0, waiting 0, max 1
Array
(
    [0] => oxpool: pool 'grumpy': the resource's destructor threw: DomainException: grumpy in a_destructor_that_throws_error.php:8
)
