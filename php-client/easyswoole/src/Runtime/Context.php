<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Runtime;

use EasySwoole\Pool\Internal\Report;

/** One coroutine, fiber or request, as far as its end matters here. Ends when end() is called or when it is destroyed. */
final class Context
{
    /** @var list<\Closure(Context): void> */
    private array $atEnd = [];

    /** @param \Closure(Context): void $what what it throws is written to PHP's error log */
    public function atEnd(\Closure $what): void
    {
        $this->atEnd[] = $what;
    }

    public function end(): void
    {
        while (($what = \array_pop($this->atEnd)) !== null) {
            try {
                $what($this);
            } catch (\Throwable $e) {
                Report::thrown('defer', 'the end of a coroutine, fiber or request threw', $e);
            }
        }
    }

    public function __destruct()
    {
        $this->end();
    }
}
