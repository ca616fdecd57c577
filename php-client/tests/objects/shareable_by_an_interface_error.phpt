--TEST--
User code can not come to be Shareable by an interface of its own either
--FILE--
<?php
interface Mine extends OxPHP\Shared\Shareable {}
echo "an interface alone is nothing that is shared\n";
eval('class Shared implements Mine {}');
?>
--EXPECTF--
an interface alone is nothing that is shared

Fatal error: Class Shared can not implement OxPHP\Shared\Shareable in %s on line %d
