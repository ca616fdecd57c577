<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Config;
use EasySwoole\Pool\Runtime\Runtimes;
use OxPHP\Shared\Pool;

/**
 * One pool's attachment to the shared pool of its budget, from its first use to its destroy(), and the work beside the
 * borrows: objects made ahead, checked, closed at low load. Doesn't keep the pool alive.
 */
final class Attachment
{
    public readonly Borrowing $borrowing;
    /** What the shared pool was opened with. */
    private int $maxSize = 0;
    private ?int $maxWaiting = null;
    private Upkeep $upkeep;
    private bool $isChecking = false;

    /**
     * @param \Closure(): mixed $create createObject()
     * @param \Closure(): void $check the interval check
     */
    public function __construct(
        public readonly Budget $budget,
        private Config $conf,
        private Due $due,
        private Load $load,
        private \Closure $create,
        \Closure $check,
    ) {
        ++$budget->pools;
        $this->borrowing = new Borrowing($budget, $conf, $load);
        $self = \WeakReference::create($this);
        $this->upkeep = new Upkeep(
            $due,
            $this->borrowing,
            static fn () => $self->get()?->guarded('the interval check threw', $check),
            static fn () => $self->get()?->guarded('closing objects at low load threw', $self->get()->shrink(...)),
        );
        Runtimes::request()->atRequestEnd($this, static fn () => $self->get()?->endRequest());
    }

    /**
     * Attaches to the shared pool, or follows a change of the Config; does what is due.
     *
     * @throws \OxPHP\Shared\SharedException the daemon can not be reached, or has no room
     */
    public function lookAfter(int $nowNs): void
    {
        $isOpen = $this->borrowing->shared !== null;
        if (!$isOpen || $this->maxSize !== $this->conf->getMaxObjectNum() || $this->maxWaiting !== $this->conf->getMaxWaiting()) {
            $this->open();
        }
        if ($isOpen) {
            $this->upkeep->run($nowNs, $this->conf->getIntervalCheckTime());
        } else {
            ++$this->budget->open;
            $this->upkeep->start($nowNs, $this->conf->getIntervalCheckTime());
        }
    }

    /** @see \EasySwoole\Pool\AbstractPool::keepMin() */
    public function keep(int $num): int
    {
        $num = \min($num, $this->conf->getMaxObjectNum());
        $added = 0;
        try {
            // One at a time, to know how many were made when one fails.
            for ($target = $this->borrowing->createdNum() + 1; $target <= $num; ++$target) {
                if ($this->borrowing->shared === null || $this->budget->line->length !== 0) {
                    break;
                }
                $added += $this->borrowing->shared->warm($target);
                $this->budget->line->wakeFirst();
            }
        } catch (\Throwable $e) {
            $cause = $e instanceof CreationFailed ? $e->getPrevious() : $e;
            Report::thrown($this->budget->name, 'an object could not be made ahead', $cause);
        }
        return $added;
    }

    /** One round of the interval check, unless one runs. @param \Closure(): mixed $keepMin */
    public function check(\Closure $keepMin): void
    {
        if ($this->isChecking) {
            return;
        }
        $this->isChecking = true;
        try {
            $this->guarded('the interval check threw', function () use ($keepMin): void {
                $this->sweep(Slot::isFit(...), $this->conf->getIntervalCheckBatchSize());
                $this->borrowing->shared !== null && $keepMin();
            });
        } finally {
            $this->isChecking = false;
        }
    }

    /** Closes the idle objects; those that are borrowed are closed when they come back. */
    public function close(): void
    {
        ++$this->budget->generation;
        $shared = $this->borrowing->shared;
        $this->detach();
        $shared?->evict();
        $this->budget->line->wakeAll();
    }

    /** The pool is dropped. At the end of a script other destructors may still use it: it attaches anew then. */
    public function __destruct()
    {
        $this->budget->settle(false);
        $this->detach();
        --$this->budget->pools;
        $this->due->atNs = 0;
    }

    private function detach(): void
    {
        $this->upkeep->stop();
        if ($this->borrowing->shared !== null) {
            $this->budget->settle();
            --$this->budget->open;
            $this->borrowing->shared = null;
        }
    }

    private function open(): void
    {
        $maxSize = $this->conf->getMaxObjectNum();
        $maxWaiting = $this->conf->getMaxWaiting();
        $budget = $this->budget;
        $create = $this->create;
        // Also while another one is open: the newest one's settings are in force, and both have the same idle objects.
        $this->borrowing->shared = new Pool(
            factory: static fn () => $budget->create($create),
            destroy: Slot::close(...),
            maxSize: $maxSize,
            idleTimeoutMs: 0,
            name: $budget->name,
            maxWaiting: $maxWaiting,
        );
        $this->maxSize = $maxSize;
        $this->maxWaiting = $maxWaiting;
    }

    /** At low load: closes a tenth of this process's objects, of those that are idle. */
    private function shrink(): void
    {
        [$averageWait, $timeouts] = $this->load->average(\hrtime(true));
        if ($this->borrowing->shared === null || $timeouts > 0 || $averageWait >= $this->conf->getWaitLoadAverageTime()) {
            return;
        }
        $tenth = \max(1, \intdiv($this->budget->size, 10));
        $count = \min($tenth, $this->budget->size, $this->borrowing->createdNum() - $this->conf->getMinObjectNum());
        if ($count > 0) {
            $this->sweep(static fn () => false, $count);
        }
    }

    private function sweep(\Closure $isKept, int $limit): void
    {
        $this->budget->settle();
        $this->borrowing->shared?->sweep($isKept, $limit);
        $this->budget->line->wakeFirst();
    }

    /** Without keepMin(): what it made would be closed at once. */
    private function endRequest(): void
    {
        if ($this->borrowing->shared !== null && \hrtime(true) >= $this->due->atNs) {
            $this->check(static fn () => null);
        } else {
            $this->budget->settle();
        }
    }

    private function guarded(string $what, \Closure $work): void
    {
        try {
            $work();
        } catch (\Throwable $e) {
            Report::thrown($this->budget->name, $what, $e);
        }
    }
}
