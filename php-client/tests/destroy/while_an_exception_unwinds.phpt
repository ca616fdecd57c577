--TEST--
A handle that an exception unwinds closes its resource: destroy runs as usual, whatever it throws, and the exception arrives
--FILE--
<?php
require __DIR__ . '/../support.inc';

ini_set('error_log', '/dev/null');
$throws = false;
function use_one(): void
{
    $pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
        try {
            throw new LogicException('within');
        } catch (LogicException) {
            echo "destroy {$r->number}\n";
        }
        if ($GLOBALS['throws']) {
            throw new DomainException('destroy');
        }
    }, maxSize: 1);
    $handle = $pool->acquire();
    $pool = null;
    try {
        throw new RangeException('the first');
    } finally {
        echo "unwinds\n";
    }
}
foreach ([false, true] as $throws) {
    try {
        use_one();
        echo "not reached\n";
    } catch (RangeException $e) {
        echo $e->getMessage(), ', line ', $e->getLine(), ', ', var_export($e->getPrevious(), true), "\n";
    }
}
echo thrown(fn () => [use_one(), print("not reached\n")]), "\n";
?>
--EXPECT--
unwinds
destroy 1
resource 1 is gone
the first, line 21, NULL
unwinds
destroy 2
resource 2 is gone
the first, line 21, NULL
unwinds
destroy 3
resource 3 is gone
RangeException: the first
