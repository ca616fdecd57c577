<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/** That an object belongs to a budget. Goes with the object, and tells the budget when that was borrowed then. */
final class Registration
{
    public function __construct(public Slot $slot)
    {
    }

    public function __destruct()
    {
        if ($this->slot->handle !== null) {
            $this->slot->budget->dropped($this->slot);
        }
    }
}
