--TEST--
defer() gives a request one object of a pool, checked once, and gives it back when the request ends
--FILE--
<?php
require __DIR__ . '/../support.inc';

$pool = thing_pool();
$other = thing_pool();
$first = $pool->defer(0.5);
echo json_encode([$pool->defer() === $first, $pool->defer(0.001) === $first, $other->defer() === $first]), "\n";
echo short_status($pool), "\n";
$borrowed = $pool->getObj();
echo json_encode($borrowed === $first), "\n";
$pool->recycleObj($borrowed);
echo "given back by hand:\n";
$pool->recycleObj($first);
$second = $pool->defer();
echo "closed by hand:\n";
$pool->unsetObj($second);
$third = $pool->defer();
echo json_encode([$second === $third, $pool->defer() === $third]), "\n";
unset($first, $second, $third, $borrowed);
register_shutdown_function(function () use ($pool) {
    echo "after the end: ", short_status($pool), "\n";
});
echo "the end\n";
?>
--EXPECT--
  1 beforeUse
  2 beforeUse
[true,true,false]
created 1, in use 1, idle 0
  3 beforeUse
false
  3 objectRestore
given back by hand:
  1 objectRestore
  1 beforeUse
closed by hand:
  1 gc
  3 beforeUse
[false,true]
the end
  3 objectRestore
  2 objectRestore
after the end: created 1, in use 0, idle 1
  2 gc
  3 gc
