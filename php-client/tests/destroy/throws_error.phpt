--TEST--
What destroy throws is written to the error log with the pool's name and never raised; the rest is still destroyed
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
set_error_handler(fn () => throw new LogicException('an error handler was called'));
$pool = new OxPHP\Shared\Pool(factory: fn () => new Resource(), destroy: function (Resource $r) {
    echo "destroy {$r->number}\n";
    throw new DomainException("can not close {$r->number}");
}, maxSize: 4, name: 'throwing');
$handles = [$pool->acquire(), $pool->acquire(), $pool->acquire()];
$handles[0]->discard();
$handles[1]->release();
$handles[2]->release();
echo $pool->evict(), " evicted\n", counts($pool), "\n";
// While another exception unwinds the stack: that one arrives.
try {
    (function () use ($pool) {
        $guard = new class($pool->acquire()) {
            public function __construct(private $handle) {}
            public function __destruct() { $this->handle->discard(); }
        };
        throw new RangeException('the first');
    })();
} catch (RangeException $e) {
    echo get_class($e), ' ', $e->getMessage(), ' ', var_export($e->getPrevious(), true), "\n";
}
print_r(preg_replace('~ in \S+/~', ' in ', $log->lines()));
?>
--EXPECT--
destroy 1
resource 1 is gone
destroy 3
resource 3 is gone
destroy 2
resource 2 is gone
2 evicted
in use 0, idle 0, waiting 0, max 4
destroy 4
resource 4 is gone
RangeException the first NULL
Array
(
    [0] => oxpool: pool 'throwing': destroy threw: DomainException: can not close 1 in throws_error.php:8
    [1] => oxpool: pool 'throwing': destroy threw: DomainException: can not close 3 in throws_error.php:8
    [2] => oxpool: pool 'throwing': destroy threw: DomainException: can not close 2 in throws_error.php:8
    [3] => oxpool: pool 'throwing': destroy threw: DomainException: can not close 4 in throws_error.php:8
)
