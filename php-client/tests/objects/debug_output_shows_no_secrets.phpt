--TEST--
var_dump and the like show name, id and counts, never resources, callbacks or what they captured
--FILE--
<?php
require __DIR__ . '/../support.inc';

$password = 'hunter2';
$pool = new OxPHP\Shared\Pool(factory: function () use ($password) {
    $resource = new stdClass();
    $resource->password = $password;
    return $resource;
}, destroy: fn () => $password, maxSize: 2);
$handle = $pool->acquire();
$pool->acquire()->release();
ob_start();
var_dump($pool, $handle, $pool->stats());
print_r($pool);
print_r($handle);
var_export($pool);
debug_zval_refcount($pool, $handle) ?? null;
echo json_encode([$pool, $handle]), print_r((array) $pool, true), $pool->name();
$shown = ob_get_clean();
var_dump(str_contains($shown, 'hunter2'), str_contains($shown, 'Closure'));
$handle->release();
var_dump($handle);
preg_match_all('/\["(\w+)"\]=>/', (function () use ($pool) { ob_start(); var_dump($pool); return ob_get_clean(); })(), $keys);
echo implode(' ', $keys[1]), "\n";
function debug_zval_refcount(...$values) { foreach ($values as $value) { debug_zval_refcount_of($value); } }
function debug_zval_refcount_of($value) { debug_zval_dump($value); }
?>
--EXPECT--
bool(false)
bool(false)
object(OxPHP\Shared\Pool\Handle)#5 (1) {
  ["inUse"]=>
  bool(false)
}
name id inUse idle minting closing waiting maxSize
