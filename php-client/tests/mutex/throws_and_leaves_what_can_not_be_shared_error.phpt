--TEST--
A closure that throws and leaves what can not be shared: TypeException, with the closure's exception as the previous one
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(1, fresh_name('both'));
try {
    $mutex->withLock(function (&$value) {
        $value = new stdClass();
        throw new DomainException('from the closure');
    });
} catch (Throwable $e) {
    echo get_class($e), ' <- ', get_class($e->getPrevious()), ': ', $e->getPrevious()->getMessage(), "\n";
}
echo value_of($mutex), "\n";
?>
--EXPECT--
OxPHP\Shared\TypeException <- DomainException: from the closure
1
