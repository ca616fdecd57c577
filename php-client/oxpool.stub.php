<?php

/**
 * The whole contract of the extension, for readers, IDEs and static analysers.
 *
 * One cap over all PHP processes of a host: every process that reaches the same oxpoold under the same namespace
 * shares the budget of a pool. Resources never leave the thread that made them; only budget moves.
 *
 * Thread safety: in a thread-safe build of PHP each thread is a worker of its own, with its own resources; objects
 * are not shared between threads.
 *
 * @generate-class-entries
 */

namespace OxPHP\Async {
    /** Base of what ends a wait. Not a SharedException: catch (SharedException) doesn't catch a timeout. */
    class AsyncException extends \Exception
    {
    }
}

namespace OxPHP\Shared {
    /** What is shared over the host. Only classes of this extension implement it. */
    interface Shareable
    {
    }

    /** The deadline of a call passed before it got what it waited for. */
    class OperationTimeoutException extends \OxPHP\Async\AsyncException
    {
    }

    /** A call that does not wait found the lock of a mutex taken. */
    class ContentionException extends \OxPHP\Async\AsyncException
    {
    }

    /**
     * A wait that could never end: this thread holds every unit of the pool, or the mutex, itself, or all who hold one
     * wait like it, in a ring of pools and mutexes. Of those in a ring one is told.
     */
    class DeadlockException extends \OxPHP\Async\AsyncException
    {
    }

    /**
     * Base of what goes wrong with a shared object. Itself thrown when the daemon can not be reached, refuses this
     * user or speaks another version, and by clone, serialize() and unserialize().
     */
    class SharedException extends \Exception
    {
    }

    /** A value that the called method does not take, or a factory that made something else than an object. */
    class TypeException extends SharedException
    {
    }

    /** The handle was given back, or what it pointed to is gone. */
    class StaleHandleException extends SharedException
    {
    }

    /** A method was called on an object whose constructor did not finish. */
    class UninitializedException extends SharedException
    {
    }

    /**
     * No room in the shared memory segment (the message names the limit to raise), or as many callers wait as the pool's
     * maxWaiting allows.
     */
    class CapacityException extends SharedException
    {
    }

    /** The value of a mutex is larger than the configured limit. */
    class ValueTooLargeException extends SharedException
    {
    }

    /** The pool takes no acquires at the moment, or was dropped by an operator. */
    class ClosedException extends SharedException
    {
    }

    /** The process that held the mutex died while it did. */
    class CorruptedMutexException extends SharedException
    {
    }

    /**
     * A bounded pool of resources: at no instant do more than maxSize of them exist over all PHP processes of the
     * host, counted from before the factory is entered until after destroy has returned and the other end of the
     * resource's sockets has hung up.
     *
     * An acquire takes this worker's own idle resource, the most recently used one first; else it makes one with the
     * factory; else every unit is taken and it waits its turn, first come, first served over the whole host.
     *
     * Clone, serialize() and unserialize() throw SharedException. var_dump() shows name, id and counts only.
     *
     * @strict-properties
     */
    final class Pool implements Shareable
    {
        /**
         * Attaches to the pool; makes no resource. The first `new` in a worker connects to oxpoold, within
         * oxpool.connect_timeout_ms.
         *
         * @param callable $factory fn(): object. Runs in the worker that acquires, when it has no idle resource. What
         *     it throws is thrown by the acquire, unchanged; the unit is free again then. With $persistent,
         *     fn(string $slot): object, where $slot (if the parameter is required) is to be part of what the persistent
         *     connection is known by: PDO::ATTR_PERSISTENT => $slot.
         * @param callable|null $destroy fn(object): void. Runs exactly once for a resource, in the worker that made
         *     it, before the pool drops its reference; not for one of a persistent pool that is closed while no object
         *     of it is there. What it throws is written to PHP's error log.
         * @param int $maxSize Live resources over the whole host, ≥ 1. Of workers that disagree the one whose process
         *     started last wins.
         * @param int $idleTimeoutMs Milliseconds after which an idle resource is closed; 0 = never. It is closed when
         *     its worker next calls a pool, and the unit is free at that point.
         * @param string|null $name 1 to 255 bytes of anything. null: named after the file and line of this expression,
         *     what the factory closure captured (scalars and arrays), and a running number for twins.
         * @param callable|null $validate fn(object): bool. Asked before an idle resource is handed out again. Anything but
         *     true closes it (a throw or what is no boolean is written to PHP's error log), and the acquire goes on
         *     within its deadline.
         * @param int $validateAfterIdleMs Ask only of what has been idle for at least so many milliseconds; 0 = always.
         * @param callable|null $reset fn(object): void. Runs when a resource comes back, before anybody else can have
         *     it. A throw (written to PHP's error log) closes it.
         * @param int $minIdle Idle resources over the whole host that $idleTimeoutMs leaves alone, the most recently
         *     used ones; at most $maxSize. None is made for it: see warm().
         * @param int $maxLifetimeMs Milliseconds after which a resource is closed once it is not in use; each lives for
         *     80 to 100 % of it, drawn when it is made, so that those made together don't end together. 0 = for ever.
         * @param int|null $maxWaiting How many callers may wait over the whole host; one more gets CapacityException at
         *     once. null = any number; 0 = nobody waits.
         * @param int $leakAfterMs Report a resource that is in use for longer, once, in the daemon's log, with the
         *     worker and the file and line that acquired it, and once more when it comes back; of one line three a minute.
         *     0 = never.
         * @param string|null $rebalance 'handover': idle resources of one worker are closed for another one that waits.
         *     'strict': they stay, and a waiter is served only by what is closed for other reasons. null = as the
         *     daemon is configured: 'handover' unless it says otherwise.
         * @param int|null $patienceMs How long one who waits lets a busy worker use its own resource again before it
         *     is handed over; 0 = strictly first come, first served. null = derived from the factory's time.
         * @param int $closeWaitMs How long whoever closes a resource waits until the other end of its sockets has hung up,
         *     before its unit is given back; 0 = not at all.
         * @param bool $persistent Where objects die with the request (php-fpm), idle resources stay with the process, as
         *     connections of PHP's persistent list, and count as idle. The next acquire there runs the factory again, which
         *     finds the open connection. Needs $name. No effect in scripts.
         * @param bool $acceptGate In php-fpm a process without a resource of this pool takes no further request while no
         *     unit is free, so that requests go to the processes that have one. For sites whose pages mostly use the pool:
         *     one that does not may wait up to 100 ms longer. Needs $persistent.
         *
         * @throws TypeException an argument is out of range; the message names it and what it takes
         * @throws CapacityException no room for another pool, or for so many slots
         * @throws SharedException the daemon can not be reached, refuses this user or speaks another version; or the
         *     constructor was called before
         */
        public function __construct(callable $factory, ?callable $destroy = null, int $maxSize = 32, int $idleTimeoutMs = 300000, ?string $name = null, ?callable $validate = null, int $validateAfterIdleMs = 500, ?callable $reset = null, int $minIdle = 0, int $maxLifetimeMs = 0, ?int $maxWaiting = null, int $leakAfterMs = 0, ?string $rebalance = null, ?int $patienceMs = null, int $closeWaitMs = 100, bool $persistent = false, bool $acceptGate = false)
        {
        }

        /**
         * Waits without limit.
         *
         * @throws DeadlockException the wait could never end
         * @throws TypeException the factory returned something else than an object, or opened a persistent connection,
         *     which would stay open after its unit is given back; or, with $persistent, one that was open before, or
         *     several
         * @throws ClosedException|CapacityException|SharedException
         */
        public function acquire(): Pool\Handle
        {
        }

        /**
         * Does not wait: null when every unit is taken.
         *
         * @throws TypeException the factory returned something else than an object
         * @throws ClosedException|CapacityException|SharedException
         */
        public function tryAcquire(): ?Pool\Handle
        {
        }

        /**
         * Waits at most $ms milliseconds in all, also over signals, early wake-ups and retries. A factory that has
         * begun is not interrupted.
         *
         * @param int $ms ≥ 1; nothing else is converted to it
         *
         * @throws TypeException $ms is missing or not a positive int (checked first); or as acquire()
         * @throws OperationTimeoutException
         * @throws ClosedException|CapacityException|SharedException
         */
        public function acquireTimeout(int $ms): Pool\Handle
        {
        }

        /**
         * Runs $body with the raw resource and gives the resource back when it returns or throws. Waits as acquire().
         *
         * @param callable $body fn(object): mixed
         *
         * @return mixed what $body returned
         * @throws \Throwable what $body threw, or as acquire()
         */
        public function with(callable $body): mixed
        {
        }

        /**
         * As with(), waiting as acquireTimeout().
         *
         * @param callable $body fn(object): mixed
         * @param int $ms ≥ 1; for the wait, not for the body
         *
         * @return mixed what $body returned
         * @throws \Throwable what $body threw, or as acquireTimeout()
         */
        public function withTimeout(callable $body, int $ms): mixed
        {
        }

        /**
         * The pool's counts over the whole host, at this moment.
         *
         * @throws SharedException
         */
        public function stats(): Pool\Stats
        {
        }

        /**
         * Closes every idle resource of this pool in this worker, fresh ones too. Resources in use stay.
         *
         * @return int how many
         * @throws SharedException
         */
        public function evict(): int
        {
        }

        /**
         * Makes idle resources in this worker until the host has $n of them, idle, in use and being made together. Never
         * beyond the cap, and not while somebody waits.
         *
         * @param int|null $n ≥ 0; null = the pool's $minIdle
         *
         * @return int how many were made
         * @throws \Throwable what the factory threw; what was made before stays
         */
        public function warm(?int $n = null): int
        {
        }

        /**
         * Looks at idle resources of this worker, those first whose last check is longest ago, and closes those for
         * which $check returns false or throws (written to PHP's error log).
         *
         * @param callable $check fn(object): bool
         * @param int $limit ≥ 1; looks at no more than so many
         *
         * @return int how many were closed
         * @throws SharedException
         */
        public function sweep(callable $check, int $limit): int
        {
        }

        /**
         * Closes what is to be closed in this worker, in all its pools: what was idle or has lived for too long, or is
         * asked for by others. Cheap enough for every turn of a loop.
         *
         * @return int how many were closed
         * @throws SharedException
         */
        public function tick(): int
        {
        }

        /**
         * A stream that becomes readable when tick() is to be called in this worker: for stream_select() or an event loop,
         * beside its own streams. It is one for all pools of the worker, nothing can be read from it, and it stays the
         * same while the daemon is restarted. A forked child finds one that never becomes readable.
         *
         * @return resource
         * @throws SharedException
         */
        public function wakeStream()
        {
        }

        /**
         * ≥ 1, the same in every worker, not used again while the daemon's segment lives.
         *
         * @throws SharedException
         */
        public function id(): int
        {
        }

        /** The given name, or the automatic one. */
        public function name(): string
        {
        }

        /** @throws SharedException always */
        public function __serialize(): array
        {
        }

        /** @throws SharedException always */
        public function __unserialize(array $data): void
        {
        }

        /** Runs after all shutdown functions of the request: from then on a release closes at once. */
        private static function endRequest(): void
        {
        }

        /** The frame that a destroy callback sees as its caller. */
        private static function closeResource(): void
        {
        }
    }
}

namespace OxPHP\Shared {
    /**
     * One value in shared memory and its lock: one holder at a time over all workers of the host. The value is changed
     * by a closure that runs with the lock; there is no other way to it, and no lock that could be forgotten.
     *
     * The value is null, bool, int, float, string, a nested array of these, or of other mutexes, which are kept by their
     * names. Its closure gets it by reference. What it leaves there is committed when it returns, and also when it
     * throws: the exception goes on, the lock is free. Nothing is committed when the request ends inside (a fatal error,
     * exit(), a limit) or the process is killed: the last committed value stays, whole.
     *
     * With a name (`$name`, Registry::mutex()) it stays on the host, with no worker attached too, until the name is
     * removed. Without one it is known by the place of its `new`, and its value goes with its last object on the host.
     *
     * Clone, serialize() and unserialize() throw SharedException.
     *
     * @strict-properties
     */
    final class Mutex implements Shareable
    {
        /**
         * A holder that is killed leaves the mutex corrupted: every later call throws CorruptedMutexException.
         *
         * @var string
         */
        const CORRUPT = "corrupt";

        /**
         * After a holder that was killed the next one goes on from the last committed value.
         *
         * @var string
         */
        const RECOVER = "recover";

        /**
         * Makes the mutex, or joins the one of that name: then $initial and $onOwnerDeath are as its maker wanted them.
         *
         * @param mixed $initial The first value.
         * @param string|null $name 1 to 255 bytes of anything. null: named after the file and line of this expression,
         *     and a running number for twins.
         * @param string $onOwnerDeath Mutex::CORRUPT or Mutex::RECOVER: what becomes of it when its holder is killed.
         *
         * @throws TypeException an argument is out of range, $initial is non-serialisable, or the name is a pool's
         * @throws ValueTooLargeException $initial is above the limit (1 MiB unless the daemon is configured otherwise)
         * @throws CapacityException no room for another mutex, or for the value
         * @throws SharedException the daemon can not be reached, refuses this user or speaks another version; or the
         *     constructor was called before
         */
        public function __construct(mixed $initial = null, ?string $name = null, string $onOwnerDeath = Mutex::CORRUPT)
        {
        }

        /**
         * Waits for the lock without limit and runs $fn with it.
         *
         * Signal handlers (pcntl_async_signals) and time limits act while it waits.
         *
         * @param callable $fn fn(mixed &$value): mixed. Keep it short: everybody else waits.
         *
         * @return mixed what $fn returned: a scalar, null, a Shareable, or an array of those
         * @throws \Throwable what $fn threw; $value is committed
         * @throws DeadlockException this worker has the lock already, or the wait would close a ring of such waits;
         *     the message names the ring
         * @throws CorruptedMutexException a holder was killed
         * @throws StaleHandleException the mutex was removed or reset
         * @throws TypeException $value is non-serialisable: the message says where, and the old value stays. Or what
         *     $fn returned is: $value is committed
         * @throws ValueTooLargeException|CapacityException $value is above the limit, or there is no room for it: the
         *     old value stays
         * @throws SharedException also when the process was forked inside $fn, in the child
         */
        public function withLock(callable $fn): mixed
        {
        }

        /**
         * As withLock(), without waiting.
         *
         * @param callable $fn fn(mixed &$value): mixed
         *
         * @return mixed what $fn returned
         * @throws ContentionException another worker has the lock
         * @throws \Throwable as withLock()
         */
        public function tryWithLock(callable $fn): mixed
        {
        }

        /**
         * As withLock(), waiting at most $ms milliseconds in all.
         *
         * @param callable $fn fn(mixed &$value): mixed. Once it runs it is not interrupted.
         * @param int $ms ≥ 1; nothing else is converted to it
         *
         * @return mixed what $fn returned
         * @throws TypeException $ms is missing or not a positive int (checked first)
         * @throws OperationTimeoutException
         * @throws \Throwable as withLock()
         */
        public function withLockTimeout(callable $fn, int $ms): mixed
        {
        }

        /**
         * ≥ 1, the same in every worker, not used again while the daemon's segment lives.
         *
         * @throws StaleHandleException|SharedException
         */
        public function id(): int
        {
        }

        /** The given name, or the automatic one. */
        public function name(): string
        {
        }

        /** @throws SharedException always */
        public function __serialize(): array
        {
        }

        /** @throws SharedException always */
        public function __unserialize(array $data): void
        {
        }
    }
}

namespace OxPHP\Shared {
    /**
     * What has a name on this host. All methods are static.
     *
     * What was got here is kept for the rest of the request, so asking again by name costs a look into a table and
     * closes nothing. Pools and mutexes share one namespace of names.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Registry
    {
        /** @throws SharedException always */
        public function __construct()
        {
        }

        /**
         * The pool of that name. In a worker that has none yet the factory makes it; it joins the pool of that name on
         * the host, if there is one.
         *
         * @param string $name 1 to 255 bytes of anything
         * @param callable $factory fn(): Pool. Not run when this worker has the pool. The pool that it makes has no other
         *     name and no resources yet; its id is another one once it has this name.
         *
         * @throws \InvalidArgumentException $name is empty
         * @throws TypeException $name is too long or a mutex's, or the factory returned something else than such a pool
         * @throws DeadlockException called for the same name by its own factory
         * @throws \Throwable what the factory threw; the name stays free
         */
        public static function pool(string $name, callable $factory): Pool
        {
        }

        /**
         * The mutex of that name. The factory makes it where the host has none yet; of several that race one makes it,
         * and the others' objects join that one.
         *
         * @param string $name 1 to 255 bytes of anything
         * @param callable $factory fn(): Mutex. Not run when the host has the mutex. The mutex that it makes has no other
         *     name; its id is another one once it has this name.
         *
         * @throws \InvalidArgumentException $name is empty
         * @throws TypeException $name is too long or a pool's, or the factory returned something else than such a mutex
         * @throws DeadlockException called for the same name by its own factory
         * @throws CapacityException no room for another mutex, or for its value
         * @throws \Throwable what the factory threw; the name stays free
         */
        public static function mutex(string $name, callable $factory): Mutex
        {
        }

        /**
         * The pool or the mutex of that name, whichever it is.
         *
         * @param string $name 1 to 255 bytes of anything
         * @param callable $factory fn(): Pool|Mutex, as for pool() and mutex()
         *
         * @throws \Throwable as pool() and mutex()
         */
        public static function global(string $name, callable $factory): Shareable
        {
        }

        /**
         * Frees the name. The next one to ask for it makes another pool or mutex, with another id; other workers notice
         * when they next ask for the name. Who has the pool goes on using it. Who has the mutex, or waits for it, gets
         * StaleHandleException; a closure that runs with it comes to its end, and the value goes.
         *
         * @return bool whether the name was there
         * @throws SharedException
         */
        public static function remove(string $name): bool
        {
        }

        /**
         * The names that were given on this host, also by the option `name`, in the order of their bytes. Automatic names
         * are not among them.
         *
         * @return list<string>
         * @throws SharedException
         */
        public static function keys(): array
        {
        }

        /**
         * How many pools and mutexes live on this host: those with a given name, and those that a worker has.
         *
         * @throws SharedException
         */
        public static function count(): int
        {
        }

        /**
         * Bytes of shared memory that these take.
         *
         * @throws SharedException
         */
        public static function memoryUsage(): int
        {
        }
    }
}

namespace OxPHP\Shared\Pool {
    /**
     * A resource in use. Gives it back when it is destroyed, also by an exception that unwinds the stack.
     *
     * Clone, serialize() and unserialize() throw SharedException.
     *
     * @strict-properties
     */
    final class Handle
    {
        /** Made by the acquire methods of a pool only. */
        private function __construct()
        {
        }

        /**
         * The resource.
         *
         * @throws \OxPHP\Shared\StaleHandleException after release() or discard(), and in a forked child for what its
         *     parent acquired
         */
        public function get(): mixed
        {
        }

        /** Gives the resource back. A second call does nothing. */
        public function release(): void
        {
        }

        /** Closes the resource instead of keeping it, and frees its unit. Does nothing after release(). */
        public function discard(): void
        {
        }

        /** @throws \OxPHP\Shared\SharedException always */
        public function __serialize(): array
        {
        }

        /** @throws \OxPHP\Shared\SharedException always */
        public function __unserialize(array $data): void
        {
        }
    }

    /**
     * Counts of a pool over the whole host at the moment of Pool::stats().
     *
     * @strict-properties
     * @not-serializable
     */
    final class Stats
    {
        /** Made by Pool::stats() only. */
        private function __construct()
        {
        }

        /** Resources that are handed out. */
        public function inUse(): int
        {
        }

        /** Resources that wait for their next use. */
        public function idle(): int
        {
        }

        /** Callers that wait in an acquire. */
        public function waiting(): int
        {
        }

        /** inUse() + idle(). Resources being made or closed count against the cap, but not here. */
        public function size(): int
        {
        }

        /** The cap in force. */
        public function maxSize(): int
        {
        }

        /** inUse() ÷ maxSize(); 0.0 when maxSize() is 0. */
        public function utilization(): float
        {
        }
    }
}
