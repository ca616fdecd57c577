<?php

declare(strict_types=1);

namespace EasySwoole\Pool;

/** A pool whose objects a callable makes. */
class MagicPool extends AbstractPool
{
    /** @var callable */
    protected $func;

    /**
     * @param callable $func fn(Config): object
     *
     * @throws Exception\Exception as AbstractPool
     */
    public function __construct(callable $func, ?Config $conf = null)
    {
        $this->func = $func;
        parent::__construct($conf);
    }

    protected function createObject()
    {
        return ($this->func)($this->getConfig());
    }
}
