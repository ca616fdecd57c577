--TEST--
Without a name a mutex is known by the place of its `new`: the same in two workers, twins in one are two
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$code = tempnam(sys_get_temp_dir(), 'oxpool-mutex-');
file_put_contents($code, "<?php\nreturn function (mixed \$initial) {\n    return new OxPHP\Shared\Mutex(\$initial);\n};\n");
$make = require $code;
$one = $make('first');
$two = $make('second');
echo str_replace($code, 'FILE', $one->name()), "\n", str_replace($code, 'FILE', $two->name()), "\n";
$other = new Worker('
    $make = require $code;
    $one = $make("other first");
    say($one->id() . " " . value_of($one));
    $two = $make("other second");
    say($two->id() . " " . value_of($two));
    $three = $make("other third");
    say(value_of($three));
    hear();
', ['code' => $code]);
$other->expect([$one->id() . ' first', $two->id() . ' second', 'other third']);
var_dump($one->id() !== $two->id());
// The lowest free number.
$id = $one->id();
unset($one);
$one = $make('ignored');
var_dump($one->id() === $id);
$other->end();
$another = new Mutex(1);
echo preg_replace('~^.*/~', '', $another->name()), "\n";
unlink($code);
?>
--EXPECTF--
FILE:3 mutex
FILE:3 mutex (2)
bool(true)
bool(true)
the_same_expression_is_the_same_mutex.php:%d mutex
