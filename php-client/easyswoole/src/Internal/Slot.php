<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

use EasySwoole\Pool\ObjectInterface;
use EasySwoole\Pool\Runtime\Context;
use OxPHP\Shared\Pool\Handle;

/**
 * What the shared pool has as its resource: one object of a pool, or the place of one that is borrowed. A borrowed object
 * is its borrower's alone, so that it is noticed when he drops it without giving it back.
 *
 * 1. $handle is set exactly while the object is borrowed.
 * 2. $object is set exactly while it is not, and null once it is closed. PHP 8.4 may collect a dropped object's handle with
 *    it, which gives back a slot without one: that is closed when it is met.
 */
final class Slot
{
    public ?Handle $handle = null;
    /** Whose defer() has it, and where that is noted. @var \WeakReference<Context>|null a context ends when nobody has it */
    public ?\WeakReference $deferredIn = null;
    /** @var \WeakMap<Context, object>|null */
    public ?\WeakMap $deferred = null;
    /** The budget's generation when it was made: one of an earlier generation is closed when it comes back. */
    public int $generation;

    private \WeakReference $known;

    public function __construct(public ?object $object, public Budget $budget)
    {
        $this->known = \WeakReference::create($object);
        $this->generation = $budget->generation;
    }

    /**
     * The destroy callback of the shared pool: unregisters the object and calls its gc(). What that throws the shared
     * pool writes to PHP's error log.
     */
    public static function close(self $slot): void
    {
        $object = $slot->object ?? $slot->known->get();
        $slot->object = $slot->handle = null;
        $slot->undefer();
        $slot->budget->forget($object);
        if ($object instanceof ObjectInterface) {
            $object->gc();
        }
    }

    /** Takes the object back from its borrower. What is then done with the handle is up to the caller. */
    public function take(object $object): void
    {
        $this->object = $object;
        $this->handle = null;
        if ($this->deferredIn !== null) {
            $this->undefer();
        }
    }

    private function undefer(): void
    {
        if ($this->deferredIn !== null) {
            $context = $this->deferredIn->get();
            if ($context !== null) {
                unset($this->deferred[$context]);
            }
            $this->deferredIn = $this->deferred = null;
        }
    }

    /** The check callback of the shared pool's sweep(). */
    public static function isFit(self $slot): bool
    {
        return $slot->object instanceof ObjectInterface ? $slot->object->intervalCheck() : $slot->object !== null;
    }
}
