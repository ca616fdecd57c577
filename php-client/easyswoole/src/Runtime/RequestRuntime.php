<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

use EasySwoole\Pool\Internal\Waiter;

/** A request or script, and its fibers, without a loop that is known here: waits block, and there are no timers. */
final class RequestRuntime implements Runtime
{
    private ?Context $request = null;
    /** @var \WeakMap<\Fiber, Context> */
    private \WeakMap $fibers;
    /** @var \WeakMap<object, \Closure(): void> */
    private \WeakMap $atRequestEnd;
    private bool $isRegistered = false;

    public function __construct()
    {
        $this->fibers = new \WeakMap();
        $this->atRequestEnd = new \WeakMap();
    }

    /** That of the running fiber ends with the Fiber object, or at the next endOfFibers() after it has returned. */
    public function context(): Context
    {
        $fiber = \Fiber::getCurrent();
        if ($fiber !== null) {
            return $this->fibers[$fiber] ??= new Context();
        }
        $this->register();
        return $this->request ??= new Context();
    }

    /** Ends the contexts of fibers that have returned though somebody still has their Fiber objects. */
    public function endOfFibers(): void
    {
        foreach ($this->fibers as $fiber => $context) {
            if ($fiber->isTerminated()) {
                unset($this->fibers[$fiber]);
                $context->end();
            }
        }
    }

    /**
     * Calls $what when the request ends, unless $owner has gone before.
     *
     * @param \Closure(): void $what does not refer to $owner
     */
    public function atRequestEnd(object $owner, \Closure $what): void
    {
        $this->register();
        $this->atRequestEnd[$owner] = $what;
    }

    public function canSuspend(): bool
    {
        return false;
    }

    public function suspend(Waiter $waiter, float $seconds): void
    {
        throw new \LogicException('nothing can be suspended here');
    }

    public function every(int $ms, \Closure $work): int|string|null
    {
        return null;
    }

    public function cancel(int|string $timer): void
    {
    }

    public function watch($stream, \Closure $what): mixed
    {
        return null;
    }

    public function unwatch(mixed $watch): void
    {
    }

    private function register(): void
    {
        if ($this->isRegistered) {
            return;
        }
        $this->isRegistered = true;
        \register_shutdown_function(function (): void {
            $this->isRegistered = false;
            $this->endOfFibers();
            $this->request?->end();
            $this->request = null;
            foreach ($this->atRequestEnd as $what) {
                $what();
            }
        });
    }
}
