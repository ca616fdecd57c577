--TEST--
oxpool.connect_timeout_ms is a positive number of milliseconds
--FILE--
<?php
require __DIR__ . '/../support.inc';

foreach (['0', '-1', 'soon', '1.5', ''] as $value) {
    ini_set('oxpool.connect_timeout_ms', $value);
    echo thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass())), "\n";
}
ini_set('oxpool.connect_timeout_ms', '2000');
echo thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass())), "\n";
?>
--EXPECT--
OxPHP\Shared\SharedException: oxpool.connect_timeout_ms is '0'; it takes a positive number of milliseconds
OxPHP\Shared\SharedException: oxpool.connect_timeout_ms is '-1'; it takes a positive number of milliseconds
OxPHP\Shared\SharedException: oxpool.connect_timeout_ms is 'soon'; it takes a positive number of milliseconds
OxPHP\Shared\SharedException: oxpool.connect_timeout_ms is '1.5'; it takes a positive number of milliseconds
OxPHP\Shared\SharedException: oxpool.connect_timeout_ms is ''; it takes a positive number of milliseconds
nothing
