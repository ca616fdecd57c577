--TEST--
phpinfo() has a section
--FILE--
<?php
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass());
ob_start();
phpinfo(INFO_MODULES);
preg_match('/\noxpool\n\n(.*?)\n\n\w+\n\n/s', ob_get_clean(), $section);
echo str_replace(ini_get('oxpool.runtime_dir'), 'DIRECTORY', $section[1]), "\n";
?>
--EXPECTF--
oxpool => enabled
Version => %d.%d.%d
Segment layout => %d.%d
Runtime directory => DIRECTORY
This worker => attached

Directive => Local Value => Master Value
oxpool.connect_timeout_ms => 1000 => 1000
oxpool.namespace => no value => no value
oxpool.on_unavailable => error => error
oxpool.runtime_dir => DIRECTORY => DIRECTORY
