--TEST--
Two pools, and a factory of one that acquires from the other
--FILE--
<?php
require __DIR__ . '/../support.inc';

$inner = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 1);
$outer = new OxPHP\Shared\Pool(factory: fn () => $inner->with(fn ($r) => (object) ['from' => $r->number]), maxSize: 1);
echo $outer->with(fn ($r) => $r->from), "\n";
echo counts($inner), "\n", counts($outer), "\n";
?>
--EXPECT--
1
in use 0, idle 1, waiting 0, max 1
in use 0, idle 1, waiting 0, max 1
resource 1 is gone
