--TEST--
oxpool.on_unavailable takes 'error' and 'local'; these settings are not a script's to change
--FILE--
<?php
require __DIR__ . '/../support.inc';

foreach (['lokal', '', 'Local', '1'] as $value) {
    $worker = new Worker('say(thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass())));', [],
        '-d oxpool.on_unavailable=' . escapeshellarg($value));
    echo $worker->rest();
}
var_dump(ini_set('oxpool.on_unavailable', 'local'), ini_set('oxpool.runtime_dir', '/tmp'), ini_set('oxpool.namespace', 'x'));
?>
--EXPECT--
OxPHP\Shared\SharedException: oxpool.on_unavailable is 'lokal'; it takes 'error' or 'local'
OxPHP\Shared\SharedException: oxpool.on_unavailable is ''; it takes 'error' or 'local'
OxPHP\Shared\SharedException: oxpool.on_unavailable is 'Local'; it takes 'error' or 'local'
OxPHP\Shared\SharedException: oxpool.on_unavailable is '1'; it takes 'error' or 'local'
bool(false)
bool(false)
bool(false)
