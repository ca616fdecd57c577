--TEST--
What validate does not approve is closed before it is handed out; the next idle one is asked, at last a new one is made
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$good = [2 => true];
$pool = new Pool(
    factory: fn () => new Resource(),
    destroy: function (Resource $r) { echo "destroy {$r->number}\n"; },
    maxSize: 3,
    name: fresh_name('validated'),
    validate: function (Resource $r) use (&$good): bool {
        echo "validate {$r->number}\n";
        return isset($good[$r->number]);
    },
    validateAfterIdleMs: 0,
);
$handles = [$pool->acquire(), $pool->acquire(), $pool->acquire()];
echo "none was asked about so far\n";
$handles = [];
$handle = $pool->acquire();
echo 'got ', $handle->get()->number, "\n", counts($pool), "\n";
$second = $pool->acquire();
echo 'got ', $second->get()->number, "\n", counts($pool), "\n";
$good = [];
unset($handle, $second);
echo $pool->tryAcquire()->get()->number, "\n";
?>
--EXPECT--
none was asked about so far
validate 3
destroy 3
resource 3 is gone
validate 2
got 2
in use 1, idle 1, waiting 0, max 3
validate 1
destroy 1
resource 1 is gone
got 4
in use 2, idle 0, waiting 0, max 3
validate 4
destroy 4
resource 4 is gone
validate 2
destroy 2
resource 2 is gone
5
destroy 5
resource 5 is gone
