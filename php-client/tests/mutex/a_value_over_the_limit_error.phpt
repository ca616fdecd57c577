--TEST--
A value over the limit is a ValueTooLargeException and the old one stays; one of exactly the limit fits
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('old', fresh_name('limit'));
$set = fn (mixed $to) => $mutex->withLock(function (&$value) use ($to) {
    $value = $to;
});
$fits = str_repeat('x', (1 << 20) - 4); // its tag and its length take four
$set($fits);
var_dump(value_of($mutex) === $fits);
$set('old');
foreach (["{$fits}x", str_repeat('x', 5 << 20), array_fill(0, 1 << 20, 1), [[$fits], [$fits]]] as $value) {
    echo preg_replace("/'limit [^']*'/", 'NAME', thrown(fn () => $set($value))), "\n";
}
var_dump(value_of($mutex));
echo thrown(fn () => new Mutex("{$fits}x", fresh_name('too large'))), "\n";
// Small to look at: every level refers twice to the one below.
$wide = [1];
for ($i = 0; $i < 60; $i++) {
    $wide = [$wide, $wide];
}
echo strstr(thrown(fn () => $set($wide)), ':', true), "\n";
?>
--EXPECT--
bool(true)
OxPHP\Shared\ValueTooLargeException: mutex NAME: the value is above the limit of 1048576 bytes; raise limits.value_limit in oxpoold.toml
OxPHP\Shared\ValueTooLargeException: mutex NAME: the value is above the limit of 1048576 bytes; raise limits.value_limit in oxpoold.toml
OxPHP\Shared\ValueTooLargeException: mutex NAME: the value is above the limit of 1048576 bytes; raise limits.value_limit in oxpoold.toml
OxPHP\Shared\ValueTooLargeException: mutex NAME: the value is above the limit of 1048576 bytes; raise limits.value_limit in oxpoold.toml
string(3) "old"
OxPHP\Shared\ValueTooLargeException: OxPHP\Shared\Mutex::__construct(): Argument #1 ($initial) takes more than the 1048576 bytes that a value may have; raise limits.value_limit in oxpoold.toml
OxPHP\Shared\ValueTooLargeException
