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
        $slot = $this->slot;
        $handle = $slot->handle;
        if ($handle !== null) {
            $budget = $slot->budget;
            $slot->handle = null;
            unset($this->slot, $slot);
            $budget->dropped($handle);
        }
    }
}
