<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

use EasySwoole\Pool\Internal\Waiter;
use Revolt\EventLoop;
use Revolt\EventLoop\FiberLocal;

/** Within a running loop of Revolt (Amp). A context is one callback of the loop: the loop uses its fibers again. */
final class RevoltRuntime implements Runtime
{
    private FiberLocal $context;

    public function __construct()
    {
        // The loop clears it at the end of each callback, and with its last reference the context ends.
        $this->context = new FiberLocal(static fn () => new Context());
    }

    public static function isCurrent(): bool
    {
        return \class_exists(EventLoop::class, false) && EventLoop::getDriver()->isRunning();
    }

    public function context(): Context
    {
        return $this->context->get();
    }

    public function canSuspend(): bool
    {
        return \Fiber::getCurrent() !== null;
    }

    public function suspend(Waiter $waiter, float $seconds): void
    {
        $suspension = EventLoop::getSuspension();
        $timer = EventLoop::delay($seconds, static fn () => $waiter->wake());
        $waiter->resume = static fn () => $suspension->resume();
        try {
            $suspension->suspend();
        } finally {
            $waiter->resume = null;
            EventLoop::cancel($timer);
        }
    }

    public function every(int $ms, \Closure $work): int|string|null
    {
        return EventLoop::unreference(EventLoop::repeat($ms / 1000, static fn () => $work()));
    }

    public function cancel(int|string $timer): void
    {
        EventLoop::cancel((string) $timer);
    }

    public function watch($stream, \Closure $what): mixed
    {
        return EventLoop::unreference(EventLoop::onReadable($stream, static fn () => $what()));
    }

    public function unwatch(mixed $watch): void
    {
        EventLoop::cancel($watch);
    }
}
