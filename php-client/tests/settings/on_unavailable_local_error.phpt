--TEST--
oxpool.on_unavailable takes 'error' only
--INI--
oxpool.on_unavailable=local
--FILE--
<?php
require __DIR__ . '/../support.inc';

echo thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass())), "\n";
var_dump(ini_set('oxpool.on_unavailable', 'error'), ini_set('oxpool.runtime_dir', '/tmp'), ini_set('oxpool.namespace', 'x'));
?>
--EXPECT--
OxPHP\Shared\SharedException: oxpool.on_unavailable is 'local'; this version takes only 'error'
bool(false)
bool(false)
bool(false)
