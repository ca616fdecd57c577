<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Config;
use EasySwoole\Pool\Exception\Exception;
use EasySwoole\Pool\Exception\PoolEmpty;
use EasySwoole\Pool\ObjectInterface;
use EasySwoole\Pool\Runtime\Runtimes;
use OxPHP\Shared\CapacityException;
use OxPHP\Shared\ClosedException;
use OxPHP\Shared\DeadlockException;
use OxPHP\Shared\OperationTimeoutException;
use OxPHP\Shared\Pool;
use OxPHP\Shared\Pool\Handle;
use OxPHP\Shared\StaleHandleException;

/**
 * One pool's use of its budget: objects taken, given back and closed. Doesn't keep the pool alive.
 *
 * A slot that goes back or is closed must not be in a variable here any more: the shared pool reports resources
 * that others still have.
 */
final class Attachment
{
    private ?Pool $shared = null;
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
        Due $due,
        private Load $load,
        private \Closure $create,
        \Closure $check,
    ) {
        ++$budget->pools;
        $self = \WeakReference::create($this);
        $this->upkeep = new Upkeep(
            $due,
            static fn () => $self->get()?->guarded('the interval check threw', $check),
            static fn () => $self->get()?->guarded('closing objects at low load threw', $self->get()->shrink(...)),
        );
        Runtimes::request()->atRequestEnd($this, static fn () => $self->get()?->endRequest($due));
    }

    /**
     * Attaches to the shared pool, or follows a change of the Config; does what is due.
     *
     * @throws \OxPHP\Shared\SharedException the daemon can not be reached, or has no room
     */
    public function lookAfter(int $nowNs): void
    {
        $isOpen = $this->shared !== null;
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

    /**
     * @param int $begunNs when the call began
     * @param float $timeout as getObj()
     *
     * @throws \Throwable as getObj()
     */
    public function acquire(int $begunNs, float $timeout): Handle
    {
        $budget = $this->budget;
        if ($budget->dropped !== []) {
            $budget->settle();
        }
        $handle = null;
        try {
            if ($budget->line->length === 0) {
                $handle = ($this->shared ?? throw $this->destroyed())->tryAcquire();
            }
        } catch (\Throwable $e) {
            throw $this->refusal($e, $timeout);
        }
        $handle ??= $this->await($begunNs, $timeout);
        if ($this->shared === null) { // destroyed while createObject() or the wait was suspended
            $handle->discard();
            throw $this->destroyed();
        }
        return $handle;
    }

    /** @throws PoolEmpty past the deadline of a call that began then */
    public function checkDeadline(int $begunNs, float $timeout, ?\Throwable $previous): void
    {
        if (\hrtime(true) >= self::deadlineNs($begunNs, $timeout)) {
            $this->load->timedOut(\hrtime(true));
            throw $this->isEmpty('the last object tried was not fit', $timeout, $previous);
        }
    }

    public function giveBack(object $object): bool
    {
        $slot = ($this->budget->registrations[$object] ?? null)?->slot;
        $handle = $slot?->handle;
        if ($handle === null || !$this->isOurs($slot, $object)) {
            return false;
        }
        if ($slot->generation !== $this->budget->generation) {
            unset($slot, $handle);
            return $this->discard($object);
        }
        $slot->take($object);
        unset($slot);
        if ($object instanceof ObjectInterface) {
            try {
                $object->objectRestore();
            } catch (\Throwable $e) {
                $handle->discard();
                $this->budget->line->wakeFirst();
                Report::thrown($this->budget->name, 'objectRestore() threw, and the object is closed', $e);
                return false;
            }
        }
        $handle->release();
        if ($this->budget->line->length !== 0) {
            $this->budget->line->wakeFirst();
        }
        return true;
    }

    public function discard(object $object): bool
    {
        $slot = ($this->budget->registrations[$object] ?? null)?->slot;
        $handle = $slot?->handle;
        if ($handle === null || !$this->isOurs($slot, $object)) {
            return false;
        }
        $slot->take($object);
        unset($slot);
        $handle->discard();
        $this->budget->line->wakeFirst();
        return true;
    }

    /** @see \EasySwoole\Pool\AbstractPool::keepMin() */
    public function keep(int $num): int
    {
        $num = \min($num, $this->conf->getMaxObjectNum());
        $added = 0;
        try {
            // One at a time, to know how many were made when one fails.
            for ($target = $this->createdNum() + 1; $target <= $num; ++$target) {
                if ($this->shared === null || $this->budget->line->length !== 0) {
                    break;
                }
                $added += $this->shared->warm($target);
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
                $this->shared !== null && $keepMin();
            });
        } finally {
            $this->isChecking = false;
        }
    }

    /** Objects of the host, those that are being made here included; only those borrowed here when not attached. */
    public function createdNum(): int
    {
        $this->budget->settle();
        return $this->shared === null ? $this->budget->size : $this->shared->stats()->size() + $this->budget->creating;
    }

    /** @return array{inUse: int, idle: int, waiting: int, max: int} over the whole host; see createdNum() */
    public function counts(): array
    {
        $this->budget->settle();
        if ($this->shared === null) {
            return ['inUse' => $this->budget->size, 'idle' => 0, 'waiting' => 0, 'max' => $this->conf->getMaxObjectNum()];
        }
        $stats = $this->shared->stats();
        return [
            'inUse' => $stats->inUse(),
            'idle' => $stats->idle(),
            'waiting' => $stats->waiting() + $this->budget->line->length,
            'max' => $stats->maxSize(),
        ];
    }

    /** Closes the idle objects; those that are borrowed are closed when they come back. */
    public function close(): void
    {
        ++$this->budget->generation;
        $shared = $this->shared;
        $this->detach();
        $shared?->evict();
        $this->budget->line->wakeAll();
    }

    /** The pool is dropped. */
    public function leave(): void
    {
        $this->detach();
        --$this->budget->pools;
    }

    private function detach(): void
    {
        $this->upkeep->stop();
        if ($this->shared !== null) {
            $this->budget->settle();
            --$this->budget->open;
            $this->shared = null;
        }
    }

    private function open(): void
    {
        $maxSize = $this->conf->getMaxObjectNum();
        $maxWaiting = $this->conf->getMaxWaiting();
        $budget = $this->budget;
        $create = $this->create;
        // Also while another one is open: the newest one's settings are in force, and both have the same idle objects.
        $this->shared = new Pool(
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

    private function await(int $begunNs, float $timeout): Handle
    {
        Runtimes::request()->endOfFibers();
        $this->budget->settle();
        $runtime = Runtimes::current();
        $line = $this->budget->line;
        $waitBegunNs = \hrtime(true);
        $creationNs = $this->budget->creationNs;
        $handle = null;
        try {
            if ($runtime->canSuspend()) {
                if ($timeout != 0.0 && $line->length >= ($this->maxWaiting ?? \PHP_INT_MAX)) {
                    throw $this->isEmpty("as many wait as maxWaiting ({$this->maxWaiting}) allows", $timeout, null);
                }
                $handle = $line->wait(fn () => $this->shared, $runtime, self::deadlineNs($begunNs, $timeout));
            } elseif ($timeout < 0.0) {
                $handle = $this->shared->acquire();
            } else {
                $leftNs = self::deadlineNs($begunNs, $timeout) - $waitBegunNs;
                $handle = $leftNs <= 0 ? $this->shared->tryAcquire() : $this->shared->acquireTimeout((int) \ceil($leftNs / 1e6));
            }
            if ($handle === null && $this->shared !== null) {
                throw $this->isEmpty('no object in time', $timeout, null);
            }
        } catch (\Throwable $e) {
            $refusal = $this->refusal($e, $timeout);
            if ($refusal instanceof PoolEmpty) {
                $this->load->timedOut(\hrtime(true));
            }
            throw $refusal;
        } finally {
            $nowNs = \hrtime(true);
            $this->load->waited($nowNs, \max(0, $nowNs - $waitBegunNs - ($this->budget->creationNs - $creationNs)));
        }
        return $handle ?? throw $this->destroyed();
    }

    /** What getObj() throws for what the shared pool threw. */
    private function refusal(\Throwable $e, float $timeout): \Throwable
    {
        $this->budget->line->wakeFirst(); // a unit may be free again
        return match (true) {
            $e instanceof CreationFailed => $e->getPrevious(),
            $e instanceof OperationTimeoutException => $this->isEmpty('no object in time', $timeout, $e),
            $e instanceof DeadlockException => $this->isEmpty('the wait would never end', $timeout, $e),
            $e instanceof CapacityException => $this->isEmpty('as many wait as maxWaiting allows', $timeout, $e),
            $e instanceof ClosedException => new Exception($e->getMessage(), 0, $e),
            default => $e,
        };
    }

    private function isEmpty(string $why, float $timeout, ?\Throwable $previous): PoolEmpty
    {
        $counts = $this->counts();
        return new PoolEmpty("pool '{$this->budget->name}' is empty: $why (timeout $timeout s; in use {$counts['inUse']}, "
            . "idle {$counts['idle']}, waiting {$counts['waiting']}, max {$counts['max']})", 0, $previous);
    }

    private function destroyed(): Exception
    {
        return new Exception("pool '{$this->budget->name}' is already destroyed");
    }

    /** At low load: closes a tenth of this process's objects, of those that are idle. */
    private function shrink(): void
    {
        [$averageWait, $timeouts] = $this->load->average(\hrtime(true));
        if ($this->shared === null || $timeouts > 0 || $averageWait >= $this->conf->getWaitLoadAverageTime()) {
            return;
        }
        $tenth = \max(1, \intdiv($this->budget->size, 10));
        $count = \min($tenth, $this->budget->size, $this->createdNum() - $this->conf->getMinObjectNum());
        if ($count > 0) {
            $this->sweep(static fn () => false, $count);
        }
    }

    private function sweep(\Closure $isKept, int $limit): void
    {
        $this->budget->settle();
        $this->shared?->sweep($isKept, $limit);
        $this->budget->line->wakeFirst();
    }

    /** Without keepMin(): what it made would be closed at once. */
    private function endRequest(Due $due): void
    {
        if ($this->shared !== null && \hrtime(true) >= $due->atNs) {
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

    /** Whether the handle works here; not in a forked child: what its parent borrowed is the parent's. */
    private function isOurs(Slot $slot, object $object): bool
    {
        try {
            $slot->handle->get();
            return true;
        } catch (StaleHandleException) {
            $slot->handle = null;
            $this->budget->forget($object);
            return false;
        }
    }

    private static function deadlineNs(int $begunNs, float $timeout): int
    {
        return $timeout < 0.0 ? \PHP_INT_MAX : $begunNs + (int) (\min($timeout, 1e9) * 1e9);
    }
}
