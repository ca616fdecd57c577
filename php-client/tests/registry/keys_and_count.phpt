--TEST--
keys() lists given names, count() what lives, memoryUsage() its bytes
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Pool, Registry};


$mine = fn () => array_values(array_filter(Registry::keys(), fn ($key) => str_starts_with($key, 'keys ' . getmypid())));
$name = 'keys ' . getmypid();
var_dump($mine());
$pools = [new Pool(fn () => new stdClass(), name: "$name b"), Registry::pool("$name a", fn () => new Pool(fn () => new stdClass()))];
$anonymous = new Pool(fn () => new stdClass());
echo implode(', ', str_replace($name, 'NAME', $mine())), "\n";
$worker = new Worker('$pool = new OxPHP\Shared\Pool(fn () => new stdClass(), name: "$name c"); say("made"); hear();', ['name' => $name]);
$worker->expect('made');
echo implode(', ', str_replace($name, 'NAME', $mine())), "\n";
$worker->end();
echo implode(', ', str_replace($name, 'NAME', $mine())), ": a given name stays for the next one\n";
foreach ($mine() as $key) {
    Registry::remove($key);
}
var_dump($mine(), Registry::count() >= 3, Registry::memoryUsage() >= 3 * 2048);
?>
--EXPECT--
array(0) {
}
NAME a, NAME b
NAME a, NAME b, NAME c
NAME a, NAME b, NAME c: a given name stays for the next one
array(0) {
}
bool(true)
bool(true)
