--TEST--
Scalars and arrays that the factory captured tell pools apart, equally in every worker; the name does not tell them
--FILE--
<?php
require __DIR__ . '/../support.inc';

$file = tempnam(sys_get_temp_dir(), 'oxpool-place-');
file_put_contents($file, '<?php
function pool_for($value) { return new OxPHP\Shared\Pool(factory: fn () => (object) [$value], maxSize: 1); }
function unused($value) { return new OxPHP\Shared\Pool(factory: function () use ($value) { return new stdClass(); }, maxSize: 1); }
function by_reference($value) { return new OxPHP\Shared\Pool(factory: function () use (&$value) { return (object) [$value]; }, maxSize: 1); }
function counting() { return new OxPHP\Shared\Pool(factory: function () { static $made = 0; return (object) [++$made]; }, maxSize: 1); }
function object($value) { return new OxPHP\Shared\Pool(factory: fn () => (object) [$value], maxSize: 1); }
function names(): array {
    $pools = [];
    foreach (["mysql:host=a", "mysql:host=b", 1, "1", 1.0, true, null, [], ["a" => 1], ["a" => "1"], [["a"], "b"], [["a", "b"]]] as $value) {
        $pools[] = pool_for($value);
    }
    array_push($pools, unused(1), unused(2), by_reference(1), by_reference(2), counting(), object(new stdClass()));
    return array_map(fn ($pool) => $pool->name(), $pools);
}
');
require $file;
$names = names();
$other = new Worker('require $file; say(json_encode(names())); hear();', ['file' => $file]);
$other->expect(json_encode($names));
if (opcache_options() !== null) {
    $optimised = new Worker('require $file; say(json_encode(names())); hear();', ['file' => $file], opcache_options());
    $optimised->expect(json_encode($names));
}
echo count(array_unique($names)), ' of ', count($names), "\n";
foreach ([0, 12, 13, 14, 15, 16, 17] as $index) {
    echo preg_replace('/[0-9a-f]{12}/', 'HASH', str_replace($file, 'FILE', $names[$index])), "\n";
}
var_dump(str_contains(implode($names), 'mysql'));
unlink($file);
?>
--EXPECT--
18 of 18
FILE:2 #HASH
FILE:3 #HASH
FILE:3 #HASH
FILE:4
FILE:4 (2)
FILE:5
FILE:6
bool(false)
