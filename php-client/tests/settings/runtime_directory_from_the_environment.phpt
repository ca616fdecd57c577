--TEST--
OXPOOL_RUNTIME_DIR counts when oxpool.runtime_dir is not set; an empty setting is an error
--FILE--
<?php
require __DIR__ . '/../support.inc';

$run = function (string $setting, string $environment): string {
    $arguments = preg_replace('/ -d "?oxpool\.runtime_dir=\S*/', ' ', getenv('TEST_PHP_EXTRA_ARGS'));
    $code = 'try { new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: "n"); echo "attached"; } catch (Exception $e) { echo $e->getMessage(); }';
    return shell_exec($environment . ' ' . escapeshellarg(PHP_BINARY) . " -n $arguments $setting -r " . escapeshellarg($code));
};
$directory = ini_get('oxpool.runtime_dir');
echo $run('', 'OXPOOL_RUNTIME_DIR=' . escapeshellarg($directory)), "\n";
var_dump(str_contains($run('', 'OXPOOL_RUNTIME_DIR=/nonexistent/environment'), '/nonexistent/environment'));
var_dump(str_contains($run('-d oxpool.runtime_dir=/nonexistent/setting', 'OXPOOL_RUNTIME_DIR=/nonexistent/environment'), '/nonexistent/setting'));
echo $run('-d oxpool.runtime_dir=', 'OXPOOL_RUNTIME_DIR=' . escapeshellarg($directory)), "\n";
?>
--EXPECT--
attached
bool(true)
bool(true)
oxpool.runtime_dir is empty; set it to the directory that oxpoold runs in, or leave it unset for /run/oxpool
