<?php

declare(strict_types=1);

namespace EasySwoole\Pool;

/** The pools of this process by name. Makes no objects. */
class Manager
{
    private static ?self $instance = null;

    /** @var array<string, AbstractPool> */
    protected array $container = [];

    /** @param mixed ...$args for a subclass's constructor, at the first call */
    public static function getInstance(...$args)
    {
        return self::$instance ??= new static(...$args);
    }

    /**
     * @param string|null $name null = the pool's class. A pool whose Config has no name takes this one for its budget, if
     *     it has not been used before. Another pool of that name here is replaced, not destroyed.
     */
    public function register(AbstractPool $pool, ?string $name = null): Manager
    {
        if ($name !== null) {
            $pool->suggestName($name);
        }
        $this->container[$name ?? $pool::class] = $pool;
        return $this;
    }

    public function get(string $name): ?AbstractPool
    {
        return $this->container[$name] ?? null;
    }

    /** Destroys every pool. They stay registered; reset() of a pool makes it usable again. */
    public function resetAll()
    {
        foreach ($this->container as $pool) {
            $pool->destroy();
        }
    }
}
