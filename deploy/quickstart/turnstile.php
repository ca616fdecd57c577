<?php

/**
 * Counts how many connections are open at once, without oxpool: each connection that is open holds the lock of one
 * file, the lowest that is free. Who enters finds the files before it locked, and the kernel unlocks those of a killed
 * process; so the highest file ever taken is the most that were ever open at once.
 */
final class Turnstile
{
    /** @var resource */
    private $lock;

    private function __construct($lock)
    {
        $this->lock = $lock;
    }

    /** To be called before the connection is opened. */
    public static function enter(string $directory): self
    {
        $entrance = fopen("$directory/entrance", 'c+');
        flock($entrance, LOCK_EX); // one at a time, so that nobody enters while the locks are being counted
        for ($place = 1; ; $place++) {
            $lock = fopen("$directory/place.$place", 'c');
            if (flock($lock, LOCK_EX | LOCK_NB)) {
                break;
            }
        }
        if ($place > self::peak($directory)) {
            file_put_contents("$directory/peak", $place);
        }
        return new self($lock);
    }

    /** To be called after the connection was closed. */
    public function leave(): void
    {
        fclose($this->lock);
    }

    public static function peak(string $directory): int
    {
        return (int) @file_get_contents("$directory/peak");
    }
}
