--TEST--
The tree of exceptions
--FILE--
<?php
foreach (['OxPHP\Async\AsyncException', 'OperationTimeoutException', 'ContentionException', 'DeadlockException', 'SharedException',
    'TypeException', 'StaleHandleException', 'UninitializedException', 'CapacityException', 'ValueTooLargeException',
    'ClosedException', 'CorruptedMutexException'] as $class) {
    $class = str_contains($class, '\\') ? $class : "OxPHP\\Shared\\$class";
    echo implode(' < ', [$class, ...array_values(class_parents($class))]), "\n";
}
?>
--EXPECT--
OxPHP\Async\AsyncException < Exception
OxPHP\Shared\OperationTimeoutException < OxPHP\Async\AsyncException < Exception
OxPHP\Shared\ContentionException < OxPHP\Async\AsyncException < Exception
OxPHP\Shared\DeadlockException < OxPHP\Async\AsyncException < Exception
OxPHP\Shared\SharedException < Exception
OxPHP\Shared\TypeException < OxPHP\Shared\SharedException < Exception
OxPHP\Shared\StaleHandleException < OxPHP\Shared\SharedException < Exception
OxPHP\Shared\UninitializedException < OxPHP\Shared\SharedException < Exception
OxPHP\Shared\CapacityException < OxPHP\Shared\SharedException < Exception
OxPHP\Shared\ValueTooLargeException < OxPHP\Shared\SharedException < Exception
OxPHP\Shared\ClosedException < OxPHP\Shared\SharedException < Exception
OxPHP\Shared\CorruptedMutexException < OxPHP\Shared\SharedException < Exception
