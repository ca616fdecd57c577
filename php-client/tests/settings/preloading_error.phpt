--TEST--
A preload script can not use pools; the script after it can
--SKIPIF--
<?php
require __DIR__ . '/../support.inc';
if (opcache_options() === null) {
    die('skip no opcache');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';

$file = tempnam(sys_get_temp_dir(), 'oxpool-preload-');
file_put_contents($file, '<?php
try {
    new OxPHP\Shared\Pool(factory: fn () => new stdClass());
} catch (Exception $e) {
    echo get_class($e) . ": " . $e->getMessage() . "\n";
}');
$worker = new Worker('say(thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: "after preloading")));', [],
    opcache_options() . ' -d opcache.preload=' . escapeshellarg($file));
echo $worker->rest();
unlink($file);
?>
--EXPECT--
OxPHP\Shared\SharedException: nothing can be shared while preloading: the workers are forked afterwards
nothing
