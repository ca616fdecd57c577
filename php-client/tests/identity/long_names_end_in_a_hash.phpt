--TEST--
An automatic name longer than 255 bytes ends in a hash
--FILE--
<?php
require __DIR__ . '/../support.inc';

$directory = sys_get_temp_dir() . '/oxpool-' . getmypid() . '/' . str_repeat('d', 200) . '/' . str_repeat('e', 200);
mkdir($directory, 0700, true);
$names = [];
foreach (['one', 'two'] as $file) {
    file_put_contents("$directory/$file.php", '<?php return new OxPHP\Shared\Pool(factory: fn () => new stdClass());');
    $pools[] = $pool = require "$directory/$file.php";
    $pools[] = $twin = require "$directory/$file.php";
    array_push($names, $pool->name(), $twin->name());
    unlink("$directory/$file.php");
}
echo implode(' ', array_map('strlen', $names)), ' ', count(array_unique($names)), "\n";
echo preg_match('/^\/.*e~[0-9a-f]{16}$/', $names[0]), "\n";
rmdir($directory);
rmdir(dirname($directory));
rmdir(dirname($directory, 2));
?>
--EXPECT--
255 255 255 255 4
1
