--TEST--
Shutdown functions and destructors may still use a pool; what they make is closed too
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Late
{
    public function __construct(private ThingPool $pool, private string $where)
    {
    }

    public function __destruct()
    {
        echo "in $this->where:\n";
        $this->pool->invoke(fn () => print("  body\n"));
    }
}
$pool = thing_pool();
$pool->invoke(fn () => null);
register_shutdown_function(fn () => new Late($pool, 'a shutdown function'));
$cycle = new stdClass();
$cycle->self = $cycle;
$cycle->late = new Late($pool, 'a destructor');
echo "the end\n";
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
the end
in a shutdown function:
  1 beforeUse
  body
  1 objectRestore
  1 gc
in a destructor:
  2 beforeUse
  body
  2 objectRestore
  2 gc
