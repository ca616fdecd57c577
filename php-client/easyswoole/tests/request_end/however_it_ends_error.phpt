--TEST--
exit, an uncaught exception or a fatal error while objects are borrowed: all units are back when the process has ended
--EXTENSIONS--
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('ends');
$watch = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: $name, maxSize: 4, idleTimeoutMs: 0);
foreach (['exit;', 'throw new DomainException();', 'str_repeat("x", PHP_INT_MAX >> 1);', 'posix_kill(getmypid(), 9);'] as $end) {
    $worker = new Worker('require_once $support; ini_set("display_errors", "0"); Thing::$isQuiet = true; ini_set("error_log", "/dev/null");
        $pool = thing_pool(["maxObjectNum" => 4, "name" => $name]); $pool->keepMin(4);
        $one = $pool->getObj(); $two = $pool->defer();
        $pool->invoke(function ($three) { say("three are borrowed"); hear(); ' . $end . ' });',
        ['name' => $name, 'support' => __DIR__ . '/../support.inc']);
    $worker->expect('three are borrowed');
    echo counts($watch), '; ';
    $worker->tell('end');
    $worker->end();
    wait_until(fn () => $watch->stats()->size() === 0, 'the units');
    echo "$end: ", counts($watch), "\n";
}
?>
--EXPECT--
in use 3, idle 1, waiting 0, max 4; exit;: in use 0, idle 0, waiting 0, max 4
in use 3, idle 1, waiting 0, max 4; throw new DomainException();: in use 0, idle 0, waiting 0, max 4
in use 3, idle 1, waiting 0, max 4; str_repeat("x", PHP_INT_MAX >> 1);: in use 0, idle 0, waiting 0, max 4
in use 3, idle 1, waiting 0, max 4; posix_kill(getmypid(), 9);: in use 0, idle 0, waiting 0, max 4
