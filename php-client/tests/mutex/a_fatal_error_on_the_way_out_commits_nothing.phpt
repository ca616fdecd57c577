--TEST--
A fatal error in a destructor of what the closure returned: nothing is committed, the lock is free
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('old', fresh_name('way out'));
foreach (['eval("class A {} class A {}");', 'exit(0);'] as $end) {
    $worker = new Worker('
        ini_set("display_errors", "0");
        ini_set("error_log", "/dev/null");
        final class Ends { public function __destruct() { ' . $end . ' } }
        $mutex = new OxPHP\Shared\Mutex(null, $name);
        register_shutdown_function(fn () => say($mutex->tryWithLock(fn ($value) => $value)));
        $mutex->withLock(function (&$value) { $value = "new"; return new Ends(); });
        say("went on");
    ', ['name' => $mutex->name()]);
    echo $worker->rest();
    $worker->end();
}
echo value_of($mutex), "\n";
?>
--EXPECT--
old
old
old
