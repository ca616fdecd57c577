<?php

declare(strict_types=1);

namespace EasySwoole\Pool;

/**
 * What a pooled object may do at the points of its life. Objects without it are pooled, too; nothing is asked of them.
 *
 * gc() and objectRestore() have no return type, so that classes with and without one fit.
 */
interface ObjectInterface
{
    /**
     * Closes the resource. Called once, in the process that made the object, when it is dropped. What it throws is
     * written to PHP's error log; the unit is free all the same.
     */
    public function gc();

    /** Takes back what the last user did, when the object comes back. A throw closes the object. */
    public function objectRestore();

    /** Whether the object is fit, asked each time before it is handed out. false or a throw closes it. */
    public function beforeUse(): bool;

    /** Whether the object is fit, asked now and then while it is idle. false or a throw closes it. */
    public function intervalCheck(): bool;
}
