--TEST--
Without a daemon the first `new Pool` is a SharedException that names the directory; a later one may succeed
--INI--
oxpool.runtime_dir=/nonexistent/oxpool
--FILE--
<?php
require __DIR__ . '/../support.inc';

for ($i = 0; $i < 2; $i++) {
    $text = thrown(fn () => new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: 'unreachable'));
    var_dump(str_starts_with($text, 'OxPHP\Shared\SharedException: '), str_contains($text, '/nonexistent/oxpool'));
}
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
