--TEST--
wakeStream() becomes readable when another worker waits for what is idle here; tick() closes it, and the stream is silent again
--FILE--
<?php
require __DIR__ . '/../support.inc';

function readable($stream, int $ms): bool
{
    $read = [$stream];
    $none = null;
    return stream_select($read, $none, $none, 0, 1000 * $ms) === 1;
}

$name = fresh_name('event loop');
$pool = new OxPHP\Shared\Pool(fn () => new Resource(), maxSize: 1, name: $name);
$other = new OxPHP\Shared\Pool(fn () => new Resource(), name: "$name too");
$stream = $pool->wakeStream();
var_dump(get_resource_type($stream), $stream === $pool->wakeStream(), $stream === $other->wakeStream());
$pool->with(fn () => null);
echo $pool->tick(), "\n";
var_dump(readable($stream, 0));
$waiter = new Worker('
    $pool = new OxPHP\Shared\Pool(fn () => new stdClass(), maxSize: 1, name: $name);
    $handle = $pool->acquireTimeout(30000);
    say("has it");
    hear();
', ['name' => $name]);
// It is told within milliseconds; the time is a watchdog.
var_dump(readable($stream, 30000));
echo $pool->tick(), "\n";
$waiter->expect('has it');
// What was left unread is read within a tick of the clock.
wait_until(fn () => $pool->tick() === 0 && !readable($stream, 0), 'the stream to be silent');
fclose($stream);
var_dump(is_resource($stream), is_resource($pool->wakeStream()));
?>
--EXPECT--
string(6) "stream"
bool(true)
bool(true)
0
bool(false)
bool(true)
resource 1 is gone
1
bool(false)
bool(true)
