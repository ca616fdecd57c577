--TEST--
Two objects of one name share idle resources; the newest's factory mints; the one that minted destroys
--FILE--
<?php
require __DIR__ . '/../support.inc';

$name = fresh_name('two objects');
$make = fn (string $which, int $max) => new OxPHP\Shared\Pool(factory: fn () => (object) ['by' => $which], destroy: function ($r) use ($which) {
    echo "$which destroys what {$r->by} made\n";
}, maxSize: $max, name: $name);
$old = $make('old', 4);
$made_by_old = $old->acquire();
$new = $make('new', 3);
echo $new->stats()->maxSize(), "\n";
echo $old->acquire()->get()->by, "\n";
$made_by_old->release();
echo $new->acquire()->get()->by, "\n";
echo counts($old), "\n";
unset($new);
echo counts($old), "\n";
$one = $old->acquire();
$two = $old->acquire();
$three = $old->acquire();
echo "{$one->get()->by} {$two->get()->by} {$three->get()->by}\n";
unset($one, $two, $three);
unset($old);
echo "both are gone\n";
?>
--EXPECT--
3
new
old
in use 0, idle 2, waiting 0, max 3
in use 0, idle 2, waiting 0, max 3
old new old
old destroys what old made
new destroys what new made
old destroys what old made
both are gone
