--TEST--
Without a daemon the first use throws what the extension throws; once there is one, the pool works
--FILE--
<?php
require __DIR__ . '/../support.inc';

$worker = new Worker('require_once $support; Thing::$isQuiet = true;
    $pool = thing_pool();
    foreach (["getObj" => [], "keepMin" => [], "invoke" => [fn () => null]] as $method => $arguments) {
        say("$method: " . get_class((function () use ($pool, $method, $arguments) {
            try { return $pool->$method(...$arguments); } catch (Throwable $e) { return $e; } })()));
    }
    say(json_encode([$pool->status()["createdNum"], $pool->recycleObj(new Thing())]));
    hear();
    $object = $pool->getObj(); say(get_class($object));', ['support' => __DIR__ . '/../support.inc'], "-d oxpool.runtime_dir=/dev/shm/oxpool-phpt-" . getmypid());
foreach (range(1, 4) as $_) {
    echo $worker->line(), "\n";
}
$daemon = new Daemon();
$worker->tell('it is there');
echo $worker->line(), "\n";
$worker->end();
?>
--EXPECT--
getObj: OxPHP\Shared\SharedException
keepMin: OxPHP\Shared\SharedException
invoke: OxPHP\Shared\SharedException
[0,false]
Thing
