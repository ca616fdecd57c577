<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/**
 * PHP's error log: never an error that a handler of the application could turn into an exception. Of one sentence about
 * one pool no more than three a minute.
 */
final class Report
{
    private const MOST = 3;

    private static int $minuteNs = 0;
    /** @var array<string, int> how often it was said in this minute */
    private static array $said = [];

    public static function line(string $pool, string $sentence): void
    {
        self::say($pool, $sentence, '');
    }

    /** @param string $what what threw, and what was done about it */
    public static function thrown(string $pool, string $what, \Throwable $e): void
    {
        self::say($pool, $what, ': ' . $e::class . ": {$e->getMessage()} in {$e->getFile()}:{$e->getLine()}");
    }

    private static function say(string $pool, string $sentence, string $more): void
    {
        $nowNs = \hrtime(true);
        if ($nowNs - self::$minuteNs > 60_000_000_000) {
            self::$minuteNs = $nowNs;
            self::$said = [];
        }
        $times = self::$said["$pool\n$sentence"] = (self::$said["$pool\n$sentence"] ?? 0) + 1;
        if ($times <= self::MOST) {
            \error_log("oxpool: pool '$pool': $sentence$more");
        }
    }
}
