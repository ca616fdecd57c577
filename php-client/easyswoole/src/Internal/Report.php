<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/** PHP's error log: never an error that a handler of the application could turn into an exception. */
final class Report
{
    public static function line(string $pool, string $sentence): void
    {
        \error_log("oxpool: pool '$pool': $sentence");
    }

    /** @param string $what what threw, and what was done about it */
    public static function thrown(string $pool, string $what, \Throwable $e): void
    {
        self::line($pool, "$what: " . $e::class . ": {$e->getMessage()} in {$e->getFile()}:{$e->getLine()}");
    }
}
