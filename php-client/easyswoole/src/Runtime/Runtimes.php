<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

/** Which runtime is the one now. */
final class Runtimes
{
    private static ?Runtime $chosen = null;
    private static ?RequestRuntime $request = null;
    private static ?RevoltRuntime $revolt = null;
    private static ?SwooleRuntime $swoole = null;

    /** Uses this one always; null = finds it out at each call. */
    public static function use(?Runtime $runtime): void
    {
        self::$chosen = $runtime;
    }

    /** In a Swoole coroutine its runtime, in a running Revolt loop that one's, else that of a plain request or script. */
    public static function current(): Runtime
    {
        if (self::$chosen !== null) {
            return self::$chosen;
        }
        if (SwooleRuntime::isCurrent()) {
            return self::$swoole ??= new SwooleRuntime();
        }
        if (RevoltRuntime::isCurrent()) {
            return self::$revolt ??= new RevoltRuntime();
        }
        return self::request();
    }

    public static function request(): RequestRuntime
    {
        return self::$request ??= new RequestRuntime();
    }
}
