--TEST--
However the script ends inside a factory or a destroy, the units are back; destroy is not run twice; only its exceptions let the script go on
--FILE--
<?php
// Some builds of PHP run no code any more once the memory limit was hit while a request ends: hence the two %d below.
require __DIR__ . '/../support.inc';

$ends = [
    'exit' => 'exit(0);',
    'uncaught exception' => 'throw new DomainException("uncaught");',
    'user error' => 'trigger_error("fatal", E_USER_ERROR);',
    'fatal error' => 'eval("class A {} class A {}");',
    'memory limit' => '$text = str_repeat("x", 512 << 20);',
    'time limit' => 'set_time_limit(1); while (true) { md5("x"); }',
];
$where = [
    'factory' => '$ends = true; $pool->acquire(); say("goes on");',
    'discard' => '$handle = $pool->acquire(); $other = $pool->acquire(); $ends = true; $handle->discard(); say("goes on");',
    'evict' => '$one = $pool->acquire(); $two = $pool->acquire(); unset($one, $two); $ends = true; $pool->evict(); say("goes on");',
    'pool dropped' => '$one = $pool->acquire(); $two = $pool->acquire(); unset($one, $two); $ends = true; unset($pool);',
    'at the end' => '$one = $pool->acquire(); $two = $pool->acquire(); unset($one); $ends = true;',
    'after a fatal' => '$one = $pool->acquire(); $two = $pool->acquire(); unset($one); $ends = true; trigger_error("first", E_USER_ERROR);',
];
$name = fresh_name('ends');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 4, name: $name);
foreach ($ends as $end => $code) {
    echo str_pad($end, 18);
    foreach ($where as $place => $template) {
        $worker = new Worker('
            ini_set("display_errors", "0");
            ini_set("error_log", "/dev/null");
            $ends = false;
            $pool = new OxPHP\Shared\Pool(factory: function () use (&$ends) {
                if ($ends) { ' . $code . ' }
                return new stdClass();
            }, destroy: function ($r) use (&$ends) {
                say("destroy " . spl_object_id($r));
                if ($ends) { $ends = false; ' . $code . ' }
            }, maxSize: 4, name: $name);
            ' . $template, ['name' => $name]);
        $said = explode("\n", $worker->rest());
        $lines = preg_grep('/destroy/', $said);
        $worker->end();
        echo " | $place: ", count($lines), in_array('goes on', $said) ? ' goes on' : '', count(array_unique($lines)) === count($lines) ? '' : ' TWICE';
        echo $pool->stats()->size() === 0 && $pool->tryAcquire() !== null ? '' : ' UNITS LOST';
        $pool->evict();
    }
    echo "\n";
}
?>
--EXPECTF--
exit               | factory: 0 | discard: 2 | evict: 2 | pool dropped: 2 | at the end: 2 | after a fatal: 2
uncaught exception | factory: 0 | discard: 2 goes on | evict: 2 goes on | pool dropped: 2 | at the end: 2 | after a fatal: 2
user error         | factory: 0 | discard: 2 | evict: 2 | pool dropped: 2 | at the end: 2 | after a fatal: 2
fatal error        | factory: 0 | discard: 2 | evict: 2 | pool dropped: 2 | at the end: 2 | after a fatal: 2
memory limit       | factory: 0 | discard: 2 | evict: 2 | pool dropped: 2 | at the end: %d | after a fatal: %d
time limit         | factory: 0 | discard: 2 | evict: 2 | pool dropped: 2 | at the end: 2 | after a fatal: 2
