<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Runtime\Runtime;

/**
 * Lets go of idle objects that other processes wait for while no pool is called here: the event loop watches the
 * extension's one stream for all pools of the worker.
 */
final class HandOver
{
    /** @var \WeakMap<Borrowing, true>|null pools that are attached and have timers */
    private static ?\WeakMap $pools = null;
    private static ?Runtime $runtime = null;
    private static mixed $watch = null;

    public static function join(Borrowing $pool, Runtime $runtime): void
    {
        self::$pools ??= new \WeakMap();
        self::$pools[$pool] = true;
        if (self::$watch === null) {
            self::$runtime = $runtime;
            self::$watch = $runtime->watch($pool->shared->wakeStream(), self::tick(...));
        }
    }

    public static function leave(Borrowing $pool): void
    {
        if (self::$pools === null || !isset(self::$pools[$pool])) {
            return;
        }
        unset(self::$pools[$pool]);
        if (\count(self::$pools) === 0 && self::$watch !== null) {
            self::$runtime->unwatch(self::$watch);
            self::$watch = null;
        }
    }

    private static function tick(): void
    {
        foreach (self::$pools as $pool => $_) {
            try {
                $pool->shared->tick(); // in all pools of the worker
            } catch (\Throwable $e) {
                Report::thrown($pool->budget->name, 'handing over idle objects threw', $e);
            }
            return;
        }
    }
}
