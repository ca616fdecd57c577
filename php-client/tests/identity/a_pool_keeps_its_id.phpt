--TEST--
A pool that is made again under its name, here or in another worker, is the same one
--FILE--
<?php
require __DIR__ . '/../support.inc';

$make = fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: $GLOBALS['name']);
$name = fresh_name('again');
$id = $make()->id();
var_dump($make()->id() === $id);
$other = new Worker('say((new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: $name))->id());', ['name' => $name]);
$other->expect((string) $id);
$other->end();
var_dump($make()->id() === $id);
?>
--EXPECT--
bool(true)
bool(true)
