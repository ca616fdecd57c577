--TEST--
A holds a and waits for b, B holds b and waits for a: one of the two is told, the other one goes on, also with timed waits
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

foreach (['withLock(%s)', 'withLockTimeout(%s, 60000)'] as $call) {
    $a = new Mutex(0, fresh_name('a'));
    $b = new Mutex(0, fresh_name('b'));
    $workers = [];
    foreach ([[$a, $b], [$b, $a]] as [$first, $second]) {
        $worker = new Worker('
            $first = new OxPHP\Shared\Mutex(null, $first);
            $second = new OxPHP\Shared\Mutex(null, $second);
            say(thrown(fn () => $first->withLock(function (&$value) use ($second) {
                ++$value;
                say("holds");
                hear();
                $second->' . sprintf($call, 'function (&$value) { ++$value; }') . ';
            })));
        ', ['first' => $first->name(), 'second' => $second->name()]);
        $worker->expect('holds');
        $workers[] = $worker;
    }
    foreach ($workers as $worker) {
        $worker->tell('go on');
    }
    $said = [$workers[0]->line(), $workers[1]->line()];
    sort($said);
    $names = [$a->name() => 'A', $b->name() => 'B'];
    echo preg_replace(['/\d+\/\d+/', "/'B'/"], ['PID/LANE', "'A'"], strtr(implode("\n", $said), $names)), "\n";
    // Each has its own by now, one has the other one's as well.
    echo value_of($a) + value_of($b), "\n";
}
?>
--EXPECTF--
OxPHP\Shared\DeadlockException: mutex 'A': the wait would never end: mutex 'A', which worker PID/LANE has; mutex 'A', which this worker has
nothing
3
OxPHP\Shared\DeadlockException: mutex 'A': the wait would never end: mutex 'A', which worker PID/LANE has; mutex 'A', which this worker has
nothing
3
