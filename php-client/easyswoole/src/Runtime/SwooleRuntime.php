<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

use EasySwoole\Pool\Internal\Waiter;
use Swoole\Coroutine;
use Swoole\Coroutine\Channel;
use Swoole\Event;
use Swoole\Timer;

/** Within a coroutine of Swoole. */
final class SwooleRuntime implements Runtime
{
    /** @var array<int, Context> by coroutine id; ids are not used twice */
    private array $contexts = [];

    public static function isCurrent(): bool
    {
        return \class_exists(Coroutine::class, false) && Coroutine::getCid() > 0;
    }

    public function context(): Context
    {
        $id = Coroutine::getCid();
        if (!isset($this->contexts[$id])) {
            $this->contexts[$id] = new Context();
            Coroutine::defer(function () use ($id): void {
                $context = $this->contexts[$id];
                unset($this->contexts[$id]);
                $context->end();
            });
        }
        return $this->contexts[$id];
    }

    public function canSuspend(): bool
    {
        return true;
    }

    public function suspend(Waiter $waiter, float $seconds): void
    {
        $channel = new Channel(1);
        $waiter->resume = static fn () => $channel->push(true);
        $channel->pop(\max($seconds, 0.001)); // its timers count milliseconds
        $waiter->resume = null;
    }

    public function every(int $ms, \Closure $work): int|string|null
    {
        return Timer::tick($ms, static fn () => $work()) ?: null;
    }

    public function cancel(int|string $timer): void
    {
        if (Timer::exists($timer)) {
            Timer::clear($timer);
        }
    }

    public function watch($stream, \Closure $what): mixed
    {
        // In a coroutine of its own: gc() may need one.
        return Event::add($stream, static fn () => Coroutine::create($what)) === false ? null : $stream;
    }

    public function unwatch(mixed $watch): void
    {
        Event::del($watch);
    }
}
