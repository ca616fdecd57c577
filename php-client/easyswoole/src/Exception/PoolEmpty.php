<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Exception;

/** No object in time. Its previous exception, if any, says what it was waiting for, with the pool's counts. */
class PoolEmpty extends Exception
{
}
