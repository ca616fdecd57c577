<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/** One who waits in a line, suspended. */
final class Waiter
{
    /** Set by the runtime while it has it suspended. */
    public ?\Closure $resume = null;

    public function wake(): void
    {
        $resume = $this->resume;
        $this->resume = null;
        $resume && $resume();
    }
}
