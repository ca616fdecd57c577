--TEST--
Releasing in a destructor, in a shutdown function, and after the pool is gone is harmless
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Holder
{
    public function __construct(public ?OxPHP\Shared\Pool\Handle $handle)
    {
    }

    public function __destruct()
    {
        $this->handle->release();
        $this->handle = null;
        echo "released in a destructor\n";
    }
}

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 3);
$holder = new Holder($pool->acquire());
unset($holder);
echo counts($pool), "\n";
$late = $pool->acquire();
register_shutdown_function(function () use ($late, $pool) {
    $late->release();
    echo 'in a shutdown function: ', counts($pool), "\n";
});
$kept = $pool->acquire();
$kept->discard();
unset($late);
$GLOBALS['at the end'] = new Holder($pool->acquire());
?>
--EXPECT--
released in a destructor
in use 0, idle 1, waiting 0, max 3
resource 2 is gone
in a shutdown function: in use 1, idle 1, waiting 0, max 3
resource 1 is gone
resource 3 is gone
released in a destructor
