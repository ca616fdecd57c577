<?php

declare(strict_types=1);

namespace EasySwoole\Pool;

use EasySwoole\Pool\Exception\Exception;
use EasySwoole\Pool\Exception\PoolEmpty;
use EasySwoole\Pool\Internal\Attachment;
use EasySwoole\Pool\Internal\Budget;
use EasySwoole\Pool\Internal\Due;
use EasySwoole\Pool\Internal\Load;
use EasySwoole\Pool\Internal\Report;
use EasySwoole\Pool\Runtime\Context;
use EasySwoole\Pool\Runtime\Runtimes;

/**
 * A pool of objects with one cap over all PHP processes of the host. Objects never leave the process that made them.
 *
 * Nothing is made before it is asked for. The first use attaches to the budget of the pool's name: the `name` of its
 * Config, else the one under which a Manager has it, else its class with a running number.
 *
 * All times are on the monotonic clock. Not for several threads.
 */
abstract class AbstractPool
{
    private Config $conf;
    private ?string $suggestedName = null;
    private ?Attachment $attachment = null;
    /** Past its first use: not to be cloned. */
    private bool $isUsed = false;
    private bool $isDestroyed = false;
    private Due $due;
    private Load $load;
    /** @var \WeakMap<Context, object> what defer() gave */
    private \WeakMap $deferred;

    /**
     * Makes one object. May suspend its coroutine or fiber.
     *
     * @return object
     * @throws \Throwable what it throws getObj() throws, unchanged; the unit is free again then
     */
    abstract protected function createObject();

    /** @throws Exception values of $conf are out of range */
    public function __construct(?Config $conf = null)
    {
        $conf ??= new Config();
        $conf->check();
        $this->setUp($conf);
    }

    /**
     * Borrows an object that its beforeUse() finds fit: an idle one, else a new one, else it waits.
     *
     * @param float|null $timeout Seconds for wait, creation and checks together; null = the Config's. 0 = doesn't wait, below
     *     0 = waits without limit. A createObject() or beforeUse() that runs is not interrupted, but none is begun
     *     after the deadline.
     * @param int $tryTimes how many more objects are tried when one is not fit
     *
     * @return object|null null when the last one tried was not fit
     * @throws PoolEmpty no object in time, or as many wait as maxWaiting allows
     * @throws Exception the pool is destroyed, or closed by an operator
     * @throws \OxPHP\Shared\SharedException at the first use: the daemon can not be reached, or has no room
     * @throws \Throwable what createObject() threw, or beforeUse() of the last one tried
     */
    public function getObj(?float $timeout = null, int $tryTimes = 3)
    {
        $begunNs = \hrtime(true);
        if ($begunNs >= $this->due->atNs) {
            $this->lookAfter($begunNs);
        }
        $borrowing = $this->attachment->borrowing;
        $timeout ??= $this->conf->getGetObjectTimeout();
        for (;;) {
            $handle = $borrowing->acquire($begunNs, $timeout);
            $slot = $handle->get();
            $object = $slot->object;
            if ($object === null) { // went in a cycle, whose collection took the handle first
                unset($slot);
                $handle->discard();
                continue;
            }
            $slot->object = null;
            $slot->handle = $handle;
            if (!$object instanceof ObjectInterface) {
                break;
            }
            $fault = null;
            try {
                if ($object->beforeUse()) {
                    break;
                }
            } catch (\Throwable $fault) {
            }
            unset($slot, $handle);
            $borrowing->discard($object);
            if ($tryTimes-- <= 0) {
                return $fault === null ? null : throw $fault;
            }
            $borrowing->checkDeadline($begunNs, $timeout, $fault);
        }
        $this->load->borrowed($begunNs);
        return $object;
    }

    /**
     * Gives back an object that was borrowed here: restores it and has it idle. One of before a reset() is closed.
     *
     * @param mixed $obj
     *
     * @return bool false: it is not of this pool, is in it already, or could not be restored (it is closed then, and PHP's
     *     error log says why)
     * @throws Exception the pool is destroyed; the object is closed all the same
     */
    public function recycleObj($obj): bool
    {
        $attachment = $this->attachment;
        if ($this->isDestroyed) {
            $this->unsetObj($obj);
            throw new Exception("pool '{$attachment?->budget->name}' is already destroyed");
        }
        return $attachment !== null && \is_object($obj) && $attachment->borrowing->giveBack($obj);
    }

    /**
     * Closes a borrowed object instead of giving it back: its gc() runs and its unit is free. What gc() throws is
     * written to PHP's error log.
     *
     * @param mixed $obj
     *
     * @return bool false: it is not of this pool, or is idle in it
     */
    public function unsetObj($obj): bool
    {
        return \is_object($obj) && $this->attachment !== null && $this->attachment->borrowing->discard($obj);
    }

    /**
     * Runs $call with an object, which is given back when it returns or throws. What giving back throws is
     * written to PHP's error log.
     *
     * @param callable $call fn(object): mixed
     *
     * @return mixed what $call returned
     * @throws \Throwable what $call threw, or as getObj()
     * @throws PoolEmpty as getObj(), and where that returns null
     */
    public function invoke(callable $call, ?float $timeout = null)
    {
        $object = $this->getObj($timeout) ?? throw new PoolEmpty('pool is empty: no object was fit');
        try {
            return $call($object);
        } finally {
            try {
                $this->recycleObj($object);
            } catch (\Throwable $e) {
                Report::thrown($this->attachment->budget->name, 'giving an object back after invoke() threw', $e);
            }
        }
    }

    /**
     * One object for the coroutine, fiber or request that calls: the same one, not checked again, until its end, when it
     * is given back, or until it is given back by hand.
     *
     * @return object
     * @throws \Throwable as invoke()
     */
    public function defer(?float $timeout = null)
    {
        $context = Runtimes::current()->context();
        if (isset($this->deferred[$context]) && !$this->isDestroyed) {
            return $this->deferred[$context];
        }
        $object = $this->getObj($timeout) ?? throw new PoolEmpty('pool is empty: no object was fit');
        $deferred = $this->deferred;
        $deferred[$context] = $object;
        $slot = $this->attachment->budget->registrations[$object]->slot;
        $slot->deferredIn = \WeakReference::create($context);
        $slot->deferred = $deferred;
        $self = \WeakReference::create($this);
        $context->atEnd(static function (Context $context) use ($self, $deferred): void {
            $object = $deferred[$context] ?? null;
            unset($deferred[$context]);
            $pool = $self->get();
            if ($object === null || $pool === null) {
                return;
            }
            try {
                $pool->isDestroyed ? $pool->unsetObj($object) : $pool->recycleObj($object);
            } catch (\Throwable $e) {
                Report::thrown($pool->attachment->budget->name, 'giving back what defer() gave threw', $e);
            }
        });
        return $object;
    }

    /**
     * Makes idle objects here until the host has so many: idle, borrowed and being made. Not beyond maxObjectNum, and none
     * while somebody waits for one. The first that can not be made ends it, and PHP's error log says why.
     *
     * @param int|null $num null = minObjectNum; 0 = none
     *
     * @return int how many were made
     * @throws \OxPHP\Shared\SharedException at the first use: the daemon can not be reached, or has no room
     */
    public function keepMin(?int $num = null): int
    {
        if ($this->isDestroyed) {
            return 0;
        }
        if (\hrtime(true) >= $this->due->atNs) {
            $this->lookAfter(\hrtime(true));
        }
        Runtimes::request()->endOfFibers();
        return $this->attachment->keep($num ?? $this->conf->getMinObjectNum());
    }

    public function getConfig(): Config
    {
        return $this->conf;
    }

    /**
     * @return array{createdNum: int, loadAverageTime: float, inUse: int, idle: int, waiting: int, max: int, min: int}
     *     over the whole host: objects, those that are being made here included; seconds that a borrow here waited, the
     *     mean of the last 15 seconds, two decimals; borrowed and idle objects; who waits; the cap in force; minObjectNum.
     *     Of a destroyed pool only its objects that are still borrowed here.
     */
    public function status(): array
    {
        return [
            'createdNum' => $this->attachment?->borrowing->createdNum() ?? 0,
            'loadAverageTime' => \round($this->load->average(\hrtime(true))[0], 2),
        ] + ($this->attachment?->borrowing->counts() ?? ['inUse' => 0, 'idle' => 0, 'waiting' => 0])
            + ['max' => $this->conf->getMaxObjectNum(), 'min' => $this->conf->getMinObjectNum()];
    }

    /** Whether the object is of this pool, idle or borrowed. @param mixed $obj */
    public function isPoolObject($obj): bool
    {
        return \is_object($obj) && isset($this->attachment?->budget->registrations[$obj]);
    }

    /** Whether the object is idle in this pool. @param mixed $obj */
    public function isInPool($obj): bool
    {
        return $this->isPoolObject($obj) && $this->attachment->budget->registrations[$obj]->slot->handle === null;
    }

    /**
     * Closes the idle objects and ends the periodic work. Who waits gets an Exception. Objects that are borrowed are
     * closed when they come back. Does nothing the second time.
     */
    public function destroy()
    {
        $this->isDestroyed = true;
        $this->due->atNs = 0;
        $this->attachment?->close();
    }

    /** destroy(), and usable again, with the same Config and statistics. */
    public function reset(): AbstractPool
    {
        $this->destroy();
        $this->isDestroyed = false;
        $this->deferred = new \WeakMap(); // what it had is given back at the end of its context all the same
        return $this;
    }

    /** One round over idle objects, at most intervalCheckBatchSize of them, then keepMin(). None while one runs. */
    protected function intervalCheck()
    {
        if (!$this->isDestroyed && $this->attachment !== null) {
            $this->attachment->check(fn () => $this->keepMin());
        }
    }

    /** @internal for Manager */
    final public function suggestName(string $name): void
    {
        $this->suggestedName ??= $name;
    }

    /** @throws Exception the pool was used */
    final public function __clone()
    {
        if ($this->isUsed) {
            throw new Exception('pool cannot clone after init() call');
        }
        $this->setUp(clone $this->conf);
    }

    /** @throws Exception destroyed, or the name is taken by a pool of another class */
    private function lookAfter(int $nowNs): void
    {
        if ($this->isDestroyed) {
            throw new Exception("pool '{$this->attachment?->budget->name}' is already destroyed");
        }
        $this->isUsed = true;
        if ($this->attachment === null) {
            $self = \WeakReference::create($this);
            $this->attachment = new Attachment(
                $this->findBudget(),
                $this->conf,
                $this->due,
                $this->load,
                static fn () => $self->get()->createObject(),
                static fn () => $self->get()?->intervalCheck(),
            );
        }
        $this->attachment->lookAfter($nowNs);
    }

    private function findBudget(): Budget
    {
        [$name, $isOurKey] = $this->conf->budgetName();
        return match (true) {
            $name !== null => Budget::named($isOurKey ? $name : static::class . " $name", static::class),
            $this->suggestedName !== null => Budget::numbered($this->suggestedName, static::class, true),
            default => Budget::numbered(\str_replace("\0", ' ', static::class), static::class, false),
        };
    }

    private function setUp(Config $conf): void
    {
        $this->conf = $conf;
        $this->due = new Due();
        $this->load = new Load();
        $this->deferred = new \WeakMap();
        $conf->tell($this->due);
    }
}
