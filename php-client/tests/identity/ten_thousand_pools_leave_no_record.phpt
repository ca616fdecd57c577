--TEST--
Ten thousand pools, made and dropped, leave nothing behind: not in the segment, not in this worker
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Pool, Registry};


$daemon = new Daemon();
$worker = new Worker('
    use OxPHP\Shared\{Pool, Registry};
    $keep = new Pool(fn () => new stdClass());
    $round = function () {
        for ($i = 0; $i < 5000; ++$i) {
            $unused = new Pool(function () use ($i) { return new stdClass(); });
            $named = Registry::pool("name $i", fn () => new Pool(fn () => new stdClass()));
            $named->warm(1);
            Registry::remove("name $i");
            unset($unused, $named);
        }
    };
    $round();
    $bytes = memory_get_usage();
    $round();
    say(Registry::count() . " left");
    say(json_encode(Registry::keys()));
    say(memory_get_usage() - $bytes < 4096 ? "no more memory" : "more memory: " . (memory_get_usage() - $bytes));
', [], $daemon->options());
$worker->expect(['1 left', '[]', 'no more memory']);
echo $worker->end(), "\n";
?>
--EXPECT--
0
