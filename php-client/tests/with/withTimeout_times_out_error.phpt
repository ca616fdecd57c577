--TEST--
withTimeout() past its deadline throws OperationTimeoutException; the body is not run
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$pool = new Pool(factory: fn () => new stdClass(), maxSize: 1, name: 'busy with');
$name = $pool->name();
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $handle = $pool->acquire();
    say("holds");
    hear();
', ['name' => $name]);
$other->expect('holds');
$begin = hrtime(true);
echo preg_replace('/waited \d+/', 'waited N', thrown(fn () => $pool->withTimeout(fn () => print("the body ran\n"), 60))), "\n";
$took = (hrtime(true) - $begin) / 1e6;
echo $took >= 60 ? "not before 60 ms\n" : "$took ms\n";
var_dump(thrown(fn () => $pool->withTimeout(fn () => null, 60)) !== 'nothing', new OxPHP\Shared\OperationTimeoutException() instanceof OxPHP\Shared\SharedException);
$other->end();
echo $pool->withTimeout(fn (object $r) => get_class($r), 10_000), "\n";
?>
--EXPECT--
OxPHP\Shared\OperationTimeoutException: pool 'busy with': no slot within 60 ms (in use 1, idle 0, minting 0, closing 0, waiting 0, max 1, waited N ms)
not before 60 ms
bool(true)
bool(false)
stdClass
