--TEST--
A name is 1 to 255 bytes of anything; two objects of one name are one pool
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;

foreach (['0', 'with space', "\0\x01\xff/../", str_repeat('n', 255)] as $name) {
    $one = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $two = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    var_dump($one->name() === $name, $one->id() === $two->id());
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
