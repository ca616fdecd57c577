--TEST--
A large value that is only read is not encoded: it may even be above a limit that was lowered since
--SKIPIF--
<?php
if (!is_executable((string) getenv('OXPOOL_BIN'))) {
    die('skip OXPOOL_BIN is not set to an oxpoold');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';

$daemon = new Daemon("[limits]\nvalue_limit = 1000000\n");
$worker = new Worker('
    $large = new OxPHP\Shared\Mutex(null, "large");
    $large->withLock(function (&$value) { $value = range(1, 10000); });
    $small = new OxPHP\Shared\Mutex(null, "small");
    $set = fn () => $small->withLock(function (&$value) { $value = str_repeat("x", 1000); });
    say(thrown($set));
    hear();
    wait_until(fn () => thrown($set) !== "nothing", "the new limit");
    say((string) $large->withLock(fn (array &$value) => $value[41]));
    say(strtok(thrown(fn () => $large->withLock(function (array &$value) { $value[41] = 0; })), ":"));
    say((string) $large->withLock(fn (array &$value) => $value[41]));
', [], $daemon->options());
$worker->expect('nothing');
$daemon->reload("[limits]\nvalue_limit = 500\n");
$worker->tell('go on');
echo $worker->rest();
?>
--EXPECT--
42
OxPHP\Shared\ValueTooLargeException
42
