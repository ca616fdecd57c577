<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\Exception\Exception;
use OxPHP\Shared\Pool\Handle;

/**
 * What the pools of one budget name have in common in this process: the objects, by identity, and who waits for one.
 * Usually that is one pool; several of one name share their idle objects, as pools of the extension do.
 */
final class Budget
{
    /** @var array<string, \WeakReference<self>> */
    private static array $byName = [];

    /** @var \WeakMap<object, Registration> idle and borrowed ones; no entry keeps its object alive while that is borrowed */
    public \WeakMap $registrations;
    public readonly WaitingLine $line;
    /** @var list<Handle> of objects that their borrowers dropped */
    public array $dropped = [];
    /** Objects of this process: idle and borrowed. */
    public int $size = 0;
    /** createObject() calls that run. */
    public int $creating = 0;
    /** Nanoseconds that all of them took. */
    public int $creationNs = 0;
    public int $generation = 0;
    /** How many pools here use it. */
    public int $pools = 0;
    /** How many of them are attached to the shared pool. */
    public int $open = 0;

    private function __construct(public readonly string $name, private string $poolClass)
    {
        $this->registrations = new \WeakMap();
        $this->line = new WaitingLine();
    }

    public function __destruct()
    {
        $named = (self::$byName[$this->name] ?? null)?->get();
        if ($named === null || $named === $this) {
            unset(self::$byName[$this->name]);
        }
    }

    /**
     * @param class-string $poolClass
     *
     * @throws Exception pools of another class have that name: their objects would be mixed up
     */
    public static function named(string $name, string $poolClass): self
    {
        $budget = (self::$byName[$name] ?? null)?->get();
        if ($budget === null) {
            $budget = new self($name, $poolClass);
            self::$byName[$name] = \WeakReference::create($budget);
        } elseif ($budget->poolClass !== $poolClass) {
            throw new Exception("the name '$name' is taken by a pool of class {$budget->poolClass}; $poolClass needs another one");
        }
        return $budget;
    }

    /** $name, or with the lowest number that makes it one which no pool here has. */
    public static function numbered(string $name, string $poolClass, bool $firstIsPlain): self
    {
        for ($number = 1;; ++$number) {
            $tried = $number === 1 && $firstIsPlain ? $name : "$name #$number";
            if (((self::$byName[$tried] ?? null)?->get()?->pools ?? 0) === 0) {
                unset(self::$byName[$tried]);
                return self::named($tried, $poolClass);
            }
        }
    }

    /**
     * The factory callback of the shared pool.
     *
     * @param \Closure(): mixed $createObject
     *
     * @throws CreationFailed
     */
    public function create(\Closure $createObject): Slot
    {
        $begunNs = \hrtime(true);
        ++$this->creating;
        $this->line->wakeFirst(); // who is behind: there may be another unit
        try {
            $object = $createObject();
            if (!\is_object($object)) {
                throw new Exception('createObject() must return an object, ' . \get_debug_type($object) . ' returned');
            }
            return $this->register($object);
        } catch (\Throwable $e) {
            throw new CreationFailed($e);
        } finally {
            --$this->creating;
            $this->creationNs += \hrtime(true) - $begunNs;
        }
    }

    /** @throws Exception the object is registered already */
    private function register(object $object): Slot
    {
        if (isset($this->registrations[$object])) {
            throw new Exception('createObject() returned an object that its pool has already');
        }
        $slot = new Slot($object, $this);
        $this->registrations[$object] = new Registration($slot);
        ++$this->size;
        return $slot;
    }

    /** @param object|null $object null = it is gone already */
    public function forget(?object $object): void
    {
        --$this->size;
        if ($object !== null) {
            unset($this->registrations[$object]);
        }
    }

    /** An object went while it was borrowed: at the next look after the pool its unit is given back. */
    public function dropped(Handle $handle): void
    {
        if ($this->open > 0) { // its resource still goes: not to be counted out before that
            $this->dropped[] = $handle;
        } else {
            $handle->discard();
        }
    }

    /** Gives back the units of objects that their borrowers dropped. @param bool $isReported not when their pool goes, too */
    public function settle(bool $isReported = true): void
    {
        while ($this->dropped !== []) {
            $handle = \array_pop($this->dropped);
            $isReported && Report::line($this->name, 'an object was dropped by who had borrowed it, without recycleObj() or unsetObj(); its unit is free again');
            $handle->discard();
            $this->line->wakeFirst();
        }
    }
}
