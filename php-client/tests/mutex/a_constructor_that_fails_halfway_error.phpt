--TEST--
What a constructor that failed halfway leaves: UninitializedException, until it is called and finishes
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

final class Name
{
    public static ?Mutex $left = null;

    public function __toString(): string
    {
        self::$left = debug_backtrace()[1]['object'];
        throw new DomainException('no name');
    }
}
echo thrown(fn () => new Mutex(1, new Name())), "\n";
$left = Name::$left;
echo thrown(fn () => $left->withLock(fn () => 1)), "\n";
echo thrown(fn () => $left->tryWithLock(fn () => 1)), "\n";
echo thrown(fn () => $left->withLockTimeout(fn () => 1, 1)), "\n";
echo thrown(fn () => $left->id()), "\n", thrown(fn () => $left->name()), "\n";
var_dump($left);
echo strstr(thrown(fn () => new Mutex(['in' => $left])), ':', true), "\n";
$left->__construct(5);
echo value_of($left), "\n";
?>
--EXPECT--
DomainException: no name
OxPHP\Shared\UninitializedException: the mutex's constructor did not finish
OxPHP\Shared\UninitializedException: the mutex's constructor did not finish
OxPHP\Shared\UninitializedException: the mutex's constructor did not finish
OxPHP\Shared\UninitializedException: the mutex's constructor did not finish
OxPHP\Shared\UninitializedException: the mutex's constructor did not finish
object(OxPHP\Shared\Mutex)#2 (0) {
}
OxPHP\Shared\TypeException
5
