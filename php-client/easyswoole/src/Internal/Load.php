<?php

declare(strict_types=1);

namespace EasySwoole\Pool\Internal;

/** How long borrows waited, over the last 15 seconds, in buckets of one second. Times are hrtime()'s. */
final class Load
{
    private const BUCKETS = 15;

    private int $second = 0;
    private int $borrows = 0;
    private int $waitedNs = 0;
    private int $timeouts = 0;

    /** @var array<int, array{int, int, int}> by second: borrows, nanoseconds waited, timeouts */
    private array $buckets = [];

    public function borrowed(int $atNs): void
    {
        $second = \intdiv($atNs, 1_000_000_000);
        if ($second !== $this->second) {
            $this->turnTo($second);
        }
        ++$this->borrows;
    }

    /** A wait that is over, successful or not. */
    public function waited(int $atNs, int $waitedNs): void
    {
        $this->turnTo(\intdiv($atNs, 1_000_000_000));
        $this->waitedNs += $waitedNs;
    }

    public function timedOut(int $atNs): void
    {
        $this->turnTo(\intdiv($atNs, 1_000_000_000));
        ++$this->timeouts;
    }

    /**
     * @return array{float, int} seconds that a borrow waited on average, waits of timeouts included, 0.0 without borrows;
     *     and how many timed out
     */
    public function average(int $nowNs): array
    {
        $second = \intdiv($nowNs, 1_000_000_000);
        $this->turnTo($second);
        $borrows = $this->borrows;
        $waitedNs = $this->waitedNs;
        $timeouts = $this->timeouts;
        foreach ($this->buckets as [$ofBorrows, $ofWaitedNs, $ofTimeouts]) {
            $borrows += $ofBorrows;
            $waitedNs += $ofWaitedNs;
            $timeouts += $ofTimeouts;
        }
        return [$borrows > 0 ? $waitedNs / $borrows / 1e9 : 0.0, $timeouts];
    }

    private function turnTo(int $second): void
    {
        if ($second <= $this->second) {
            return; // the current one, or a call that began in an earlier one
        }
        $this->buckets[$this->second] = [$this->borrows, $this->waitedNs, $this->timeouts];
        foreach ($this->buckets as $of => $_) {
            if ($of <= $second - self::BUCKETS) {
                unset($this->buckets[$of]);
            }
        }
        $this->second = $second;
        $this->borrows = $this->waitedNs = $this->timeouts = 0;
    }
}
