--TEST--
Shutdown functions and destructors may still use pools; what they make is destroyed too
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Late
{
    public function __construct(private OxPHP\Shared\Pool $pool)
    {
    }

    public function __destruct()
    {
        echo 'in a destructor: ' . $this->pool->with(fn ($r) => $r->number) . "\n";
    }
}
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
}, maxSize: 2);
$late = new Late($pool);
$late_too = new stdClass();
$late_too->cycle = $late_too;
$late_too->late = new Late($pool);
unset($late_too);
register_shutdown_function(function () use ($pool) {
    echo 'in a shutdown function: ', $pool->with(fn ($r) => $r->number), "\n";
    register_shutdown_function(function () use ($pool) {
        echo 'in a later one: ', $pool->with(fn ($r) => $r->number), "\n";
    });
});
echo "end of the script\n";
?>
--EXPECT--
end of the script
in a shutdown function: 1
in a later one: 1
destroy 1
resource 1 is gone
destroy 2
resource 2 is gone
in a destructor: 2
destroy 3
resource 3 is gone
in a destructor: 3
