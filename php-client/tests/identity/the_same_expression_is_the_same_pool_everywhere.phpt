--TEST--
Without a name a pool is named after file and line: the same expression in two workers is one pool, two places are two
--FILE--
<?php
require __DIR__ . '/../support.inc';

$file = tempnam(sys_get_temp_dir(), 'oxpool-place-');
file_put_contents($file, '<?php
return [
    new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1),
    new OxPHP\Shared\Pool(
        factory: fn () => new stdClass(),
        maxSize: 1,
    ),
];');
[$one, $two] = require $file;
$other = new Worker('
    [$one, $two] = require $file;
    say("{$one->id()} {$two->id()} {$one->name()} {$two->name()}");
    hear();
', ['file' => $file]);
$other->expect("{$one->id()} {$two->id()} {$one->name()} {$two->name()}");
echo str_replace($file, 'FILE', "{$one->name()}\n{$two->name()}\n");
var_dump($one->id() !== $two->id(), $one->id() >= 1);
unlink($file);
?>
--EXPECT--
FILE:3
FILE:4
bool(true)
bool(true)
