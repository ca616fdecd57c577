<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/**
 * When a pool must look after more than the call at hand: at its first use, when periodic work is due that no timer does,
 * and after a change of its Config. One comparison in each call.
 */
final class Due
{
    /** On hrtime()'s clock; 0 = at the next call. */
    public int $atNs = 0;
}
