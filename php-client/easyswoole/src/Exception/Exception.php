<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Exception;

/** What this library throws: a bad configuration, a destroyed pool, a pool that an operator closed. */
class Exception extends \Exception
{
}
