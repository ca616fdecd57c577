--TEST--
Reflection shows the promised signatures
--FILE--
<?php
foreach (['OxPHP\Shared\Pool', 'OxPHP\Shared\Pool\Handle', 'OxPHP\Shared\Pool\Stats', 'OxPHP\Shared\Mutex', 'OxPHP\Shared\Registry'] as $class) {
    foreach ((new ReflectionClass($class))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        $parameters = array_map(fn ($p) => "{$p->getType()} \${$p->getName()}", $method->getParameters());
        echo "$class::{$method->getName()}(", implode(', ', $parameters), '): ', $method->getReturnType() ?? '-', "\n";
    }
}
?>
--EXPECT--
OxPHP\Shared\Pool::__construct(callable $factory, ?callable $destroy, int $maxSize, int $idleTimeoutMs, ?string $name, ?callable $validate, int $validateAfterIdleMs, ?callable $reset, int $minIdle, int $maxLifetimeMs, ?int $maxWaiting, int $leakAfterMs, ?string $rebalance, ?int $patienceMs, int $closeWaitMs, bool $persistent, bool $acceptGate): -
OxPHP\Shared\Pool::acquire(): OxPHP\Shared\Pool\Handle
OxPHP\Shared\Pool::tryAcquire(): ?OxPHP\Shared\Pool\Handle
OxPHP\Shared\Pool::acquireTimeout(int $ms): OxPHP\Shared\Pool\Handle
OxPHP\Shared\Pool::with(callable $body): mixed
OxPHP\Shared\Pool::withTimeout(callable $body, int $ms): mixed
OxPHP\Shared\Pool::stats(): OxPHP\Shared\Pool\Stats
OxPHP\Shared\Pool::evict(): int
OxPHP\Shared\Pool::warm(?int $n): int
OxPHP\Shared\Pool::sweep(callable $check, int $limit): int
OxPHP\Shared\Pool::tick(): int
OxPHP\Shared\Pool::wakeStream(): -
OxPHP\Shared\Pool::id(): int
OxPHP\Shared\Pool::name(): string
OxPHP\Shared\Pool::__serialize(): array
OxPHP\Shared\Pool::__unserialize(array $data): void
OxPHP\Shared\Pool\Handle::get(): mixed
OxPHP\Shared\Pool\Handle::release(): void
OxPHP\Shared\Pool\Handle::discard(): void
OxPHP\Shared\Pool\Handle::__serialize(): array
OxPHP\Shared\Pool\Handle::__unserialize(array $data): void
OxPHP\Shared\Pool\Stats::inUse(): int
OxPHP\Shared\Pool\Stats::idle(): int
OxPHP\Shared\Pool\Stats::waiting(): int
OxPHP\Shared\Pool\Stats::size(): int
OxPHP\Shared\Pool\Stats::maxSize(): int
OxPHP\Shared\Pool\Stats::utilization(): float
OxPHP\Shared\Mutex::__construct(mixed $initial, ?string $name, string $onOwnerDeath): -
OxPHP\Shared\Mutex::withLock(callable $fn): mixed
OxPHP\Shared\Mutex::tryWithLock(callable $fn): mixed
OxPHP\Shared\Mutex::withLockTimeout(callable $fn, int $ms): mixed
OxPHP\Shared\Mutex::id(): int
OxPHP\Shared\Mutex::name(): string
OxPHP\Shared\Mutex::__serialize(): array
OxPHP\Shared\Mutex::__unserialize(array $data): void
OxPHP\Shared\Registry::__construct(): -
OxPHP\Shared\Registry::pool(string $name, callable $factory): OxPHP\Shared\Pool
OxPHP\Shared\Registry::mutex(string $name, callable $factory): OxPHP\Shared\Mutex
OxPHP\Shared\Registry::global(string $name, callable $factory): OxPHP\Shared\Shareable
OxPHP\Shared\Registry::remove(string $name): bool
OxPHP\Shared\Registry::keys(): array
OxPHP\Shared\Registry::count(): int
OxPHP\Shared\Registry::memoryUsage(): int
