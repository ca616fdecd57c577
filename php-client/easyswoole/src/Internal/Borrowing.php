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
 * The way of objects of one pool to their borrowers and back.
 *
 * A slot that goes back or is closed must not be in a variable here any more: the shared pool reports resources
 * that others still have.
 */
final class Borrowing
{
    /** null: the pool is not attached. */
    public ?Pool $shared = null;

    public function __construct(public readonly Budget $budget, private Config $conf, private Load $load)
    {
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
                if ($timeout != 0.0 && $line->length >= ($this->conf->getMaxWaiting() ?? \PHP_INT_MAX)) {
                    throw $this->isEmpty("as many wait as maxWaiting allows", $timeout, null);
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
