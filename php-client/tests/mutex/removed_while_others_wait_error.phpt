--TEST--
A mutex that is removed: who waits and who comes gets StaleHandleException, a closure that runs comes to its end
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex('value', fresh_name('removed'));
$id = $mutex->id();
$waiter = new Worker('
    $mutex = new OxPHP\Shared\Mutex(null, $name);
    say("ready");
    hear();
    say(thrown(fn () => $mutex->withLock(fn () => 1)));
    say(strstr(thrown(fn () => $mutex->withLockTimeout(fn () => 1, 60000)), ":", true));
    say((string) OxPHP\Shared\Registry::mutex($name, fn () => new OxPHP\Shared\Mutex("new"))->id());
    hear();
', ['name' => $mutex->name()]);
$waiter->expect('ready');
echo $mutex->withLock(function (&$value) use ($mutex, $waiter) {
    $waiter->tell('wait');
    wait_until($waiter->sleeps(...), 'the wait');
    var_dump(Registry::remove($mutex->name()));
    echo str_replace($mutex->name(), 'NAME', $waiter->line()), "\n", $waiter->line(), "\n";
    $value = 'changed';
    return "came to its end\n";
});
echo strstr(thrown(fn () => $mutex->withLock(fn () => 1)), ':', true), "\n";
echo strstr(thrown(fn () => $mutex->tryWithLock(fn () => 1)), ':', true), "\n";
var_dump((int) $waiter->line() > $id);
$again = new Mutex('ignored', $mutex->name());
echo value_of($again), "\n";
var_dump($again->id() > $id, Registry::remove($mutex->name()), Registry::remove($mutex->name()));
?>
--EXPECT--
bool(true)
OxPHP\Shared\StaleHandleException: mutex 'NAME': the name was removed; ask for it again
OxPHP\Shared\StaleHandleException
came to its end
OxPHP\Shared\StaleHandleException
OxPHP\Shared\StaleHandleException
bool(true)
new
bool(true)
bool(true)
bool(false)
