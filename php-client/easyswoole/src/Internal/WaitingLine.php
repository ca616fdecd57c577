<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Runtime\Runtime;
use OxPHP\Shared\Pool;
use OxPHP\Shared\Pool\Handle;

/**
 * The coroutines or fibers of this process that wait for a unit of one budget, first come, first served. Who comes back
 * with an object here wakes the first; units that other processes free are seen within POLL_MS.
 */
final class WaitingLine
{
    private const POLL_MS = 5;

    /** How many wait. */
    public int $length = 0;

    /** @var array<int, Waiter> in their order */
    private array $waiters = [];
    private int $lastNumber = 0;

    /**
     * Waits, and suspends what runs meanwhile.
     *
     * @param int $deadlineNs on hrtime()'s clock
     * @param \Closure(): ?Pool $pool asked at each attempt; null = it is closed
     *
     * @return Handle|null null: not in time, or closed
     * @throws \Throwable as Pool::tryAcquire()
     */
    public function wait(\Closure $pool, Runtime $runtime, int $deadlineNs): ?Handle
    {
        $number = ++$this->lastNumber;
        $waiter = new Waiter();
        ++$this->length;
        try {
            $this->waiters[$number] = $waiter;
            while (($open = $pool()) !== null) {
                $isFirst = \array_key_first($this->waiters) === $number;
                if ($isFirst) {
                    // Out of the line meanwhile: the next one is not to wait for a slow createObject().
                    unset($this->waiters[$number]);
                    $handle = $open->tryAcquire();
                    if ($handle !== null) {
                        return $handle;
                    }
                    $this->waiters = [$number => $waiter] + $this->waiters;
                }
                $leftNs = $deadlineNs - \hrtime(true);
                if ($leftNs <= 0) {
                    return null;
                }
                $runtime->suspend($waiter, ($isFirst ? \min($leftNs, self::POLL_MS * 1_000_000) : $leftNs) / 1e9);
            }
            return null;
        } finally {
            --$this->length;
            unset($this->waiters[$number]);
            $this->wakeFirst();
        }
    }

    /** A unit may be free. */
    public function wakeFirst(): void
    {
        if ($this->waiters !== []) {
            $this->waiters[\array_key_first($this->waiters)]->wake();
        }
    }

    public function wakeAll(): void
    {
        foreach ($this->waiters as $waiter) {
            $waiter->wake();
        }
    }
}
