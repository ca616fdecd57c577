<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

// EasySwoole's SplBean where easyswoole/spl is installed, so that a Config is one; else PlainBean, which does the same.
\class_alias(\class_exists(\EasySwoole\Spl\SplBean::class) ? \EasySwoole\Spl\SplBean::class : PlainBean::class, Bean::class);

if (false) {
    /** For Composer's class map and for readers. */
    class Bean
    {
    }
}
