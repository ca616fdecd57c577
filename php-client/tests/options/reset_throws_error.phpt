--TEST--
A reset that throws closes the resource and is written to the log; what is under way goes on, and the next waiter is served
--INI--
zend.exception_ignore_args=1
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\Pool;


$log = new ErrorLog();
set_error_handler(fn () => throw new LogicException('an error handler was called'));
$name = fresh_name('reset throws');
$pool = new Pool(
    factory: fn () => new Resource(),
    destroy: function (Resource $r) { echo "destroy {$r->number}\n"; },
    maxSize: 1,
    name: $name,
    reset: fn (Resource $r) => throw new DomainException("can not reset {$r->number}"),
);
$handle = $pool->acquire();
$other = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
    $pool->with(fn () => say("has it"));
    hear();
', ['name' => $name]);
wait_until(fn () => $pool->stats()->waiting() === 1, 'the other to wait');
$handle->release();
$other->expect('has it');
$other->end();
echo thrown(fn () => $pool->with(fn () => throw new RangeException('the body'))), "\n";
echo $pool->with(fn (Resource $r) => "body had {$r->number}"), "\n";
echo counts($pool), "\n";
restore_error_handler();
print_r(str_replace($name, 'NAME', preg_replace('~ in \S+/~', ' in ', $log->lines())));
?>
--EXPECT--
destroy 1
resource 1 is gone
destroy 2
resource 2 is gone
RangeException: the body
destroy 3
resource 3 is gone
body had 3
in use 0, idle 0, waiting 0, max 1
Array
(
    [0] => oxpool: pool 'NAME': reset threw, and the resource is closed: DomainException: can not reset 1 in reset_throws_error.php:14
    [1] => oxpool: pool 'NAME': reset threw, and the resource is closed: DomainException: can not reset 2 in reset_throws_error.php:14
    [2] => oxpool: pool 'NAME': reset threw, and the resource is closed: DomainException: can not reset 3 in reset_throws_error.php:14
)
