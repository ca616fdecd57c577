<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

use EasySwoole\Pool\Internal\Waiter;

/**
 * What runs this program: who is running now, how he waits, and what calls us later. An application with a scheduler of
 * its own implements it and calls Runtimes::use().
 */
interface Runtime
{
    /** The coroutine, fiber or request that runs now; the same object each time, until its end. */
    public function context(): Context;

    /** Whether what runs now can be suspended, so that others run meanwhile. Else it blocks. */
    public function canSuspend(): bool;

    /**
     * Suspends what runs now until $waiter->wake(), which calls $waiter->resume, or until the time is over. May return
     * early. Called only when canSuspend().
     *
     * @param float $seconds > 0
     */
    public function suspend(Waiter $waiter, float $seconds): void;

    /**
     * Has $work called every $ms milliseconds, until cancel(). Doesn't keep the program running, where that can be had.
     *
     * @return int|string|null what cancel() takes; null when there are no timers
     */
    public function every(int $ms, \Closure $work): int|string|null;

    /** Ends an every(); does nothing when that has ended. */
    public function cancel(int|string $timer): void;

    /**
     * Has $what called whenever $stream can be read from, until unwatch(); $what reads nothing. Doesn't keep the program
     * running, where that can be had.
     *
     * @param resource $stream
     *
     * @return mixed what unwatch() takes; null when streams can not be watched
     */
    public function watch($stream, \Closure $what): mixed;

    public function unwatch(mixed $watch): void;
}
