--TEST--
with() and withTimeout() pass the raw resource, return what the body returns, and release
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), maxSize: 1);
var_dump($pool->with(fn (Resource $r) => $r->number));
var_dump($pool->withTimeout(fn (Resource $r) => [counts($pool), $r->number], 100));
var_dump($pool->with(function (Resource $r) {}));
$value = 'by reference';
var_dump($pool->with(function & ($r) use (&$value) { return $value; }));
var_dump($pool->with('get_class'));
echo counts($pool), "\n";
?>
--EXPECT--
int(1)
array(2) {
  [0]=>
  string(34) "in use 1, idle 0, waiting 0, max 1"
  [1]=>
  int(1)
}
NULL
string(12) "by reference"
string(8) "Resource"
in use 0, idle 1, waiting 0, max 1
resource 1 is gone
