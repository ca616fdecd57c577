--TEST--
validate is not asked about what came back a moment ago
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$asked = 0;
$make = function (int $ms) use (&$asked) {
    return new Pool(factory: fn () => new stdClass(), maxSize: 1, name: fresh_name('idle'), validateAfterIdleMs: $ms,
        validate: function () use (&$asked) { ++$asked; return true; });
};
$patient = $make(3_600_000);
for ($i = 0; $i < 1000; ++$i) {
    $patient->with(fn () => null);
}
echo "after an hour: $asked\n";
$sometimes = $make(60);
$sometimes->with(fn () => null);
usleep(100_000);
$sometimes->with(fn () => null);
echo "after 60 ms: $asked\n";
$always = $make(0);
$asked = 0;
for ($i = 0; $i < 10; ++$i) {
    $always->with(fn () => null);
}
echo "always, but not of a new one: $asked\n";
?>
--EXPECT--
after an hour: 0
after 60 ms: 1
always, but not of a new one: 9
