<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Runtime\Runtime;
use EasySwoole\Pool\Runtime\Runtimes;

/**
 * The periodic work of one pool: the interval check, and closing objects when the load is low. On timers where there are
 * some, else at the pool's calls, when $due says so. Where there are timers idle objects are handed over between calls, too.
 */
final class Upkeep
{
    private const LOAD_MS = 5000;

    private ?Runtime $timed = null;
    /** @var list<int|string> */
    private array $timers = [];
    private int $checkMs = 0;
    private int $checkAtNs = \PHP_INT_MAX;
    private int $shrinkAtNs = \PHP_INT_MAX;

    /**
     * @param \Closure(): void $check neither of them throws, nor keeps the pool alive
     * @param \Closure(): void $shrink
     */
    public function __construct(private Due $due, private Borrowing $borrowing, private \Closure $check, private \Closure $shrink)
    {
    }

    /** Begins, or goes on with another interval. @param int $checkMs ≤ 0 = no interval check */
    public function start(int $nowNs, int $checkMs): void
    {
        $this->stop();
        $this->checkMs = $checkMs;
        $this->checkAtNs = $checkMs > 0 ? $nowNs + $checkMs * 1_000_000 : \PHP_INT_MAX;
        $this->shrinkAtNs = $nowNs + self::LOAD_MS * 1_000_000;
        $this->useTimers(Runtimes::current());
        $this->setDue();
    }

    /** Does what is due; changes to timers as soon as there are some. */
    public function run(int $nowNs, int $checkMs): void
    {
        if ($checkMs !== $this->checkMs) {
            $this->start($nowNs, $checkMs);
            return;
        }
        if ($this->timed === null) {
            $isCheckDue = $nowNs >= $this->checkAtNs;
            $isShrinkDue = $nowNs >= $this->shrinkAtNs;
            if ($isCheckDue) {
                $this->checkAtNs = $nowNs + $this->checkMs * 1_000_000;
            }
            if ($isShrinkDue) {
                $this->shrinkAtNs = $nowNs + self::LOAD_MS * 1_000_000;
            }
            if ($isCheckDue || $isShrinkDue) {
                $this->useTimers(Runtimes::current());
            }
            $this->due->atNs = \PHP_INT_MAX; // the work may call the pool
            $isCheckDue && ($this->check)();
            $isShrinkDue && ($this->shrink)();
        }
        $this->setDue();
    }

    public function stop(): void
    {
        foreach ($this->timers as $timer) {
            $this->timed->cancel($timer);
        }
        $this->timers = [];
        $this->timed = null;
        HandOver::leave($this->borrowing);
    }

    private function useTimers(Runtime $runtime): void
    {
        $timer = $runtime->every(self::LOAD_MS, $this->shrink);
        if ($timer === null) {
            return;
        }
        $this->timed = $runtime;
        $this->timers[] = $timer;
        if ($this->checkMs > 0) {
            $this->timers[] = $runtime->every($this->checkMs, $this->check);
        }
        HandOver::join($this->borrowing, $runtime);
    }

    private function setDue(): void
    {
        $this->due->atNs = $this->timed !== null ? \PHP_INT_MAX : \min($this->checkAtNs, $this->shrinkAtNs);
    }
}
