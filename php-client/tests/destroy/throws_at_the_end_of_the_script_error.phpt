--TEST--
A destroy that throws at the end of the script does not become an uncaught exception
--FILE--
<?php
require __DIR__ . '/../support.inc';

ini_set('error_log', '/dev/null');
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
    throw new DomainException('late');
}, maxSize: 4);
$idle = $pool->acquire();
$in_use = $pool->acquire();
$idle->release();
?>
--EXPECT--
destroy 1
resource 1 is gone
destroy 2
resource 2 is gone
