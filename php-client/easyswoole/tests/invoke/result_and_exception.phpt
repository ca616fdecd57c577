--TEST--
invoke() returns what the callback returns, and gives the object back when it returns or throws
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = thing_pool();
echo $pool->invoke(fn (Thing $thing) => "result of {$thing->number}"), '; ', short_status($pool), "\n";
echo thrown(fn () => $pool->invoke(fn () => throw new DomainException('mine'))), '; ', short_status($pool), "\n";
echo $pool->invoke(fn ($outer) => $pool->invoke(fn ($inner) => $outer === $inner ? 'the same' : 'two objects')), '; ', short_status($pool), "\n";
// Given back or closed by the callback itself.
echo json_encode($pool->invoke(fn ($thing) => $pool->recycleObj($thing))), ' ', json_encode($pool->invoke(fn ($thing) => $pool->unsetObj($thing))),
    '; ', short_status($pool), "\n";
function named(Thing $thing): int
{
    return $thing->number;
}
echo $pool->invoke('named'), "\n";
?>
--EXPECT--
  1 beforeUse
  1 objectRestore
result of 1; created 1, in use 0, idle 1
  1 beforeUse
  1 objectRestore
DomainException: mine; created 1, in use 0, idle 1
  1 beforeUse
  2 beforeUse
  2 objectRestore
  1 objectRestore
two objects; created 2, in use 0, idle 2
  1 beforeUse
  1 objectRestore
true   1 beforeUse
  1 gc
true; created 1, in use 0, idle 1
  2 beforeUse
  2 objectRestore
2
  2 gc
