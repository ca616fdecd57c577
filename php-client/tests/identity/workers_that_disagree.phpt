--TEST--
Of workers that disagree on maxSize or idleTimeoutMs the one whose process started later wins
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$name = fresh_name('disagree');
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 3, name: $name);
$later = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 5, name: $name);
    say((string) $pool->stats()->maxSize());
    hear();
', ['name' => $name]);
$later->expect('5');
echo $pool->stats()->maxSize(), "\n";
$again = new Pool(factory: fn () => new stdClass(), maxSize: 3, name: $name); // asks anew, but started earlier
echo $pool->stats()->maxSize(), ' ', $again->stats()->maxSize(), "\n";
$later->end();
?>
--EXPECT--
5
5 5
