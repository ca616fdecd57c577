--TEST--
User code can not implement or extend Shareable
--FILE--
<?php
var_dump(is_subclass_of('OxPHP\Shared\Pool', 'OxPHP\Shared\Shareable'));
var_dump((new ReflectionClass('OxPHP\Shared\Shareable'))->getMethods());
eval('class Mine implements OxPHP\Shared\Shareable {}');
?>
--EXPECTF--
bool(true)
array(0) {
}

Fatal error: Class Mine can not implement OxPHP\Shared\Shareable in %s on line %d
