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

    /** A call that does not wait found the lock taken. */
    class ContentionException extends \OxPHP\Async\AsyncException
    {
    }

    /** A wait without limit that could never end. */
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

    /** No room in the shared memory segment; the message names the limit to raise. */
    class CapacityException extends SharedException
    {
    }

    /** The value is larger than the configured limit. */
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
         *     it throws is thrown by the acquire, unchanged; the unit is free again then.
         * @param callable|null $destroy fn(object): void. Runs exactly once for a resource, in the worker that made
         *     it, before the pool drops its reference. What it throws is written to PHP's error log.
         * @param int $maxSize Live resources over the whole host, ≥ 1. Of workers that disagree the one whose process
         *     started last wins.
         * @param int $idleTimeoutMs Milliseconds after which an idle resource is closed; 0 = never. It is closed when
         *     its worker next calls a pool, and the unit is free at that point.
         * @param string|null $name 1 to 255 bytes of anything. null: named after the file and line of this expression,
         *     what the factory closure captured (scalars and arrays), and a running number for twins.
         *
         * @throws TypeException $maxSize, $idleTimeoutMs or $name is out of range
         * @throws CapacityException no room for another pool, or for so many slots
         * @throws SharedException the daemon can not be reached, refuses this user or speaks another version; or the
         *     constructor was called before
         */
        public function __construct(callable $factory, ?callable $destroy = null, int $maxSize = 32, int $idleTimeoutMs = 300000, ?string $name = null)
        {
        }

        /**
         * Waits without limit.
         *
         * @throws DeadlockException every unit is held by this thread, which would wait for itself
         * @throws TypeException the factory returned something else than an object
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
