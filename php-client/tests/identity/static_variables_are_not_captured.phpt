--TEST--
A static variable of the factory's own is not among what it captured, whatever it begins with
--FILE--
<?php
require __DIR__ . '/../support.inc';

// PHP 8.3 and later let it begin with a call, and compile that in another way.
$initials = ['0', '[1, 2]', PHP_VERSION_ID >= 80300 ? 'strlen("abc")' : '3'];
foreach ($initials as $initial) {
    $file = tempnam(sys_get_temp_dir(), 'oxpool-place-');
    file_put_contents($file, "<?php
        return new OxPHP\Shared\Pool(factory: function () { static \$made = $initial; return (object) [\$made]; });
    ");
    $pool = require $file;
    echo str_replace($file, 'FILE', $pool->name()), "\n";
    $pool->acquire()->release();
    unlink($file);
}
?>
--EXPECT--
FILE:2
FILE:2
FILE:2
