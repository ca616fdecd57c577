--TEST--
Who only reads, or writes the same again, writes nothing: another worker does not decode again, and a large array is never copied
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(null, fresh_name('large'));
$large = array_fill(0, 12000, str_repeat('x', 8));
$mutex->withLock(function (&$value) use ($large) {
    $value = $large;
});
// An array that was decoded anew is another one in memory than the one that is held already.
$decoded = function () use ($mutex): bool {
    static $held = [];
    $before = memory_get_usage();
    $mutex->withLock(function (array &$value) use (&$held) {
        $held[] = $value;
    });
    return memory_get_usage() - $before > 100_000;
};
$decoded();
var_dump($decoded());
$other = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    $do = [
        "read" => fn (array &$value) => count($value),
        "same" => function (array &$value) { $value[5] = str_repeat("x", 8); },
        "assign" => function (&$value) { $value = array_fill(0, 12000, str_repeat("x", 8)); },
        "change" => function (array &$value) { $value[5] = "changed"; },
    ];
    while (($what = hear()) !== null) {
        $mutex->withLock($do[$what]);
        say($what);
    }
', ['name' => $mutex->name()]);
foreach (['read', 'same', 'assign', 'change'] as $what) {
    $other->tell($what);
    $other->expect($what);
    echo str_pad($what, 7), $decoded() ? 'decoded again' : 'kept', "\n";
}
memory_reset_peak_usage();
$before = memory_get_usage();
for ($i = 0; $i < 100; $i++) {
    $mutex->withLock(fn (array &$value) => $value[0]);
}
var_dump(memory_get_peak_usage() - $before > 100_000);
?>
--EXPECT--
bool(false)
read   kept
same   kept
assign kept
change decoded again
bool(false)
