<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

/** One coroutine, fiber or request, as far as its end matters here. Ends when end() is called or when it is destroyed. */
final class Context
{
    /** @var list<\Closure(Context): void> */
    private array $atEnd = [];

    /** @param \Closure(Context): void $what does not throw */
    public function atEnd(\Closure $what): void
    {
        $this->atEnd[] = $what;
    }

    public function end(): void
    {
        while (($what = \array_pop($this->atEnd)) !== null) {
            $what($this);
        }
    }

    public function __destruct()
    {
        $this->end();
    }
}
