--TEST--
A handle gives its resource back when it goes out of scope, is overwritten, or an exception unwinds the stack
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1);
(function () use ($pool) {
    $handle = $pool->acquire();
    echo counts($pool), "\n";
})();
echo counts($pool), "\n";
try {
    (function () use ($pool) {
        $handle = $pool->acquire();
        throw new LogicException('unwinds');
    })();
} catch (LogicException $e) {
    echo $e->getMessage(), ': ', counts($pool), "\n";
}
unset($e);
$pool->acquire();
echo counts($pool), "\n";
$generator = (function () use ($pool) {
    $handle = $pool->acquire();
    yield counts($pool);
    echo "not reached\n";
})();
echo $generator->current(), "\n";
unset($generator);
echo counts($pool), "\n";
?>
--EXPECT--
in use 1, idle 0, waiting 0, max 1
in use 0, idle 1, waiting 0, max 1
unwinds: in use 0, idle 1, waiting 0, max 1
in use 0, idle 1, waiting 0, max 1
in use 1, idle 0, waiting 0, max 1
in use 0, idle 1, waiting 0, max 1
