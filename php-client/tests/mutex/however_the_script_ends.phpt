--TEST--
However the script ends inside a closure: an uncaught exception commits, everything else does not; the lock is free by the time of the shutdown functions; only a killed process corrupts
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$ends = [
    'normal' => '',
    'exit' => 'exit(0);',
    'uncaught exception' => 'throw new DomainException("uncaught");',
    'user error' => 'trigger_error("fatal", E_USER_ERROR);',
    'fatal error' => 'eval("class A {} class A {}");',
    'undefined function' => 'undefined_function();',
    'memory limit' => '$text = str_repeat("x", 512 << 20);',
    'time limit' => 'set_time_limit(1); while (true) { md5("x"); }',
    'exit in a fiber' => '(new Fiber(fn () => exit(0)))->start();',
    'fatal error in a fiber' => '(new Fiber(fn () => eval("class A {} class A {}")))->start();',
    'killed' => 'posix_kill(posix_getpid(), 9);',
];
foreach ($ends as $end => $code) {
    $mutex = new Mutex('old', fresh_name($end));
    $worker = new Worker('
        ini_set("display_errors", "0");
        ini_set("error_log", "/dev/null");
        $mutex = new OxPHP\Shared\Mutex(null, $name);
        register_shutdown_function(fn () => say($mutex->tryWithLock(fn ($value) => $value)));
        $mutex->withLock(function (&$value) {
            $value = "new";
            ' . $code . '
        });
    ', ['name' => $mutex->name()]);
    $seen = trim($worker->rest()) ?: '-';
    $worker->end();
    $left = strstr(thrown(function () use ($mutex, &$value) {
        $value = $mutex->withLock(fn ($value) => $value);
    }), ':', true) ?: $value;
    echo str_pad($end, 23), "| in a shutdown function: $seen | afterwards: $left\n";
}
?>
--EXPECT--
normal                 | in a shutdown function: new | afterwards: new
exit                   | in a shutdown function: old | afterwards: old
uncaught exception     | in a shutdown function: new | afterwards: new
user error             | in a shutdown function: old | afterwards: old
fatal error            | in a shutdown function: old | afterwards: old
undefined function     | in a shutdown function: new | afterwards: new
memory limit           | in a shutdown function: old | afterwards: old
time limit             | in a shutdown function: old | afterwards: old
exit in a fiber        | in a shutdown function: old | afterwards: old
fatal error in a fiber | in a shutdown function: old | afterwards: old
killed                 | in a shutdown function: - | afterwards: OxPHP\Shared\CorruptedMutexException
