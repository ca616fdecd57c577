<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/** Carries what createObject() threw through the shared pool, so that it can not be taken for an exception of that pool. */
final class CreationFailed extends \Exception
{
    public function __construct(\Throwable $cause)
    {
        parent::__construct($cause->getMessage(), 0, $cause);
    }
}
