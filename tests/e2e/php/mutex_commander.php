<?php
// A worker that does with mutexes and a pool as it is told: each line on stdin is a JSON list [command, argument, …], each
// answer a line of JSON, {"value": …} or {"error": class, "message": …}.
//
//   get NAME               makes the mutex by the Registry with this process's id as its value, or finds it: [id, value]
//   keep NAME              makes or finds it, and stays attached: id
//   add NAME TIMES         adds 1 that many times
//   value NAME             the value
//   hold NAME              takes the lock, answers "holds", and does what comes then with the lock in hand;
//   use                    likewise, with a unit of the pool
//   release                what was begun last is over: answers "released"
//   replace NAME           removes the name and makes it again, with 0
//   count                  how many there are on the host
//
// Options (JSON, first argument): onOwnerDeath, pool (a name; its pool has one unit).

use OxPHP\Shared\{Mutex, Pool, Registry};

$options = json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR);

function answer(array $what): void
{
    fwrite(STDOUT, json_encode($what, JSON_THROW_ON_ERROR) . "\n");
}

function attempt(callable $what): void
{
    try {
        answer(['value' => $what()]);
    } catch (Throwable $e) {
        answer(['error' => get_class($e), 'message' => $e->getMessage()]);
    }
}

function mutex(string $name): Mutex
{
    global $options;
    return new Mutex(0, $name, $options['onOwnerDeath'] ?? Mutex::CORRUPT);
}

function hold(): string
{
    answer(['value' => 'holds']);
    serve();
    return 'released';
}

function keep(string $name): int
{
    static $kept = [];
    return ($kept[] = mutex($name))->id();
}

function add(string $name, int $times): int
{
    $mutex = mutex($name);
    $add = fn (int &$value): int => ++$value;
    for ($last = 0; $times > 0; $times--) {
        $last = $mutex->withLock($add);
    }
    return $last;
}

function serve(): void
{
    global $options;
    while (($line = fgets(STDIN)) !== false) {
        [$command, $name, $times] = json_decode($line, true, flags: JSON_THROW_ON_ERROR) + [1 => '', 2 => 1];
        if ($command === 'release') {
            return;
        }
        attempt(fn () => match ($command) {
            'get' => (function () use ($name) {
                $mutex = Registry::mutex($name, fn () => new Mutex(getmypid()));
                return [$mutex->id(), $mutex->withLock(fn ($value) => $value)];
            })(),
            'keep' => keep($name),
            'add' => add($name, $times),
            'value' => mutex($name)->withLock(fn ($value) => $value),
            'hold' => mutex($name)->withLock(fn (&$value) => hold()),
            'use' => (new Pool(fn () => new stdClass(), maxSize: 1, name: $options['pool']))->with(fn () => hold()),
            'replace' => Registry::remove($name) && mutex($name)->id() > 0,
            'count' => Registry::count(),
        });
    }
}

attempt(fn () => Registry::count() >= 0);
serve();
