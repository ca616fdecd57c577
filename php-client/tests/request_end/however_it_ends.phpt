--TEST--
However the script ends, in a body or with a handle in hand: destroy runs where PHP still can, and the units are back
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';

$ends = [
    'normal' => '',
    'exit' => 'exit(0);',
    'exit with text' => 'exit("");',
    'uncaught exception' => 'throw new DomainException("uncaught");',
    'user error' => 'trigger_error("fatal", E_USER_ERROR);',
    'fatal error' => 'eval("class A {} class A {}");',
    'undefined function' => 'undefined_function();',
    'memory limit' => '$text = str_repeat("x", 512 << 20);',
    'time limit' => 'set_time_limit(1); while (true) { md5("x"); }',
    'killed' => 'posix_kill(posix_getpid(), 9);',
];
$where = [
    'handle' => '$handle = $pool->acquire(); %s',
    'body' => '$pool->with(function () { %s });',
    'nested bodies' => '$pool->with(fn () => $pool->with(function () { %s }));',
];
$name = fresh_name('ends');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 4, name: $name);
foreach ($ends as $end => $code) {
    echo str_pad($end, 18);
    foreach ($where as $place => $template) {
        $worker = new Worker('
            ini_set("display_errors", "0");
            ini_set("error_log", "/dev/null");
            $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), destroy: fn () => say("destroy"), maxSize: 4, name: $name);
            $pool->acquire()->release();
            ' . sprintf($template, $code), ['name' => $name]);
        $destroyed = substr_count($worker->rest(), 'destroy');
        $worker->end();
        wait_until(fn () => $pool->stats()->size() === 0, 'the units to come back');
        echo " | $place: destroyed $destroyed";
    }
    echo "\n";
}
?>
--EXPECT--
normal             | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
exit               | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
exit with text     | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
uncaught exception | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
user error         | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
fatal error        | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
undefined function | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
memory limit       | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
time limit         | handle: destroyed 1 | body: destroyed 1 | nested bodies: destroyed 2
killed             | handle: destroyed 0 | body: destroyed 0 | nested bodies: destroyed 0
