<?php
// A request that ends in a given way at a given place, and tells in a file what happened. In a web server the parameters
// come in the query; for the CLI as JSON in the first argument.
//
// ending, place  see end_now() and $places; without a place the request is a probe: it answers with this process's pid and,
//                given a pool, with what is live in it, how many units can be taken, and how many are then kept idle
// name, max      the pool
// server         the counting server that its resources connect to
// events         the file; lines: "made N", "destroy N", "waits", "ending", "goes on", "served", "last error TYPE TEXT"
// other          the name of the pool of one that is closed while the first pool is waited for

use OxPHP\Shared\Pool;

require __DIR__ . '/../connection.php';

final class Numbered
{
    public function __construct(public readonly int $number, public readonly Connection $connection)
    {
    }
}

$options = PHP_SAPI === 'cli' ? json_decode($argv[1], true, flags: JSON_THROW_ON_ERROR) : $_GET;
ini_set('display_errors', '0');
ini_set('memory_limit', '64M');

function note(string $event): void
{
    file_put_contents($GLOBALS['options']['events'], "$event\n", FILE_APPEND);
}

function end_now(): void
{
    global $options;
    note('ending');
    switch ($options['ending']) {
        case 'normal':
            return;
        case 'exit':
            exit(0);
        case 'exception':
            throw new DomainException('uncaught');
        case 'user error':
            trigger_error('the end', E_USER_ERROR);
        case 'fatal':
            include __DIR__ . '/../endings/fatal.php';
        case 'memory limit':
            $text = str_repeat('x', 256 << 20);
        case 'time limit':
            set_time_limit(1);
            while (true) {
                md5('x');
            }
        case 'compile error':
            include __DIR__ . '/../endings/compile_error.php';
    }
    note('survived');
}

/** Ends the request the first time that this place is passed once $armed. */
function end_if_at(string $place): void
{
    global $armed, $options;
    if ($armed && $options['place'] === $place) {
        $armed = false;
        end_now();
    }
}

function probe(): void
{
    global $options;
    $answer = ['pid' => getmypid()];
    if (isset($options['name'])) {
        $pool = new Pool(factory: fn () => new stdClass(), maxSize: (int) $options['max'], name: $options['name']);
        $answer['size'] = $pool->stats()->size();
        $handles = [];
        while (($handle = $pool->tryAcquire()) !== null) {
            $handles[] = $handle;
        }
        $answer['taken'] = count($handles);
        unset($handle, $handles);
        $answer['idle'] = $pool->stats()->idle();
    }
    echo json_encode($answer);
}

function keep_in_a_static(mixed $what): void
{
    static $kept = [];
    $kept[] = $what;
}

if (!isset($options['place'])) {
    probe();
    return;
}

register_shutdown_function(function (): void {
    $error = error_get_last();
    if ($error !== null) {
        note("last error {$error['type']} " . strtok($error['message'], "\n"));
    }
});
$armed = false;
$made = 0;
$pool = new Pool(
    factory: function () use (&$made, $options): Numbered {
        $resource = new Numbered(++$made, new Connection($options['server']));
        end_if_at('factory');
        note("made {$resource->number}");
        return $resource;
    },
    destroy: function (Numbered $resource): void {
        note("destroy {$resource->number}");
        end_if_at('destroy');
        end_if_at('destroy at the end');
        $resource->connection->close();
    },
    maxSize: (int) $options['max'],
    name: $options['name'],
    validate: function (): bool {
        end_if_at('validate');
        return true;
    },
    validateAfterIdleMs: 0,
    reset: fn () => end_if_at('reset'),
);
// One is in use throughout. Two more are idle, except where a new one shall be made.
$throughout = $pool->acquire();
if ($options['place'] !== 'factory') {
    $more = [$pool->acquire(), $pool->acquire()];
    unset($more);
}

$places = [
    'factory' => function () use ($pool): void {
        $pool->acquire();
    },
    'body' => fn () => $pool->with(fn () => end_if_at('body')),
    'validate' => fn () => $pool->acquire()->release(),
    'reset' => fn () => $pool->acquire()->release(),
    'destroy' => fn () => $pool->acquire()->discard(),
    'destroy at the end' => fn () => null,
    'waiting' => function () use ($pool): void {
        if ($GLOBALS['options']['ending'] === 'time limit') {
            set_time_limit(60); // its signal comes from the test
        } elseif (function_exists('pcntl_signal')) {
            pcntl_async_signals(true);
            pcntl_signal(SIGUSR1, fn () => end_if_at('waiting'));
        }
        $handles = [$pool->acquire(), $pool->acquire()];
        note('waits');
        $handles[] = $pool->acquire();
        note('served');
    },
    "another's destroy" => function () use ($pool, $options): void {
        $other = new Pool(
            factory: fn () => new stdClass(),
            destroy: fn () => end_if_at("another's destroy"),
            maxSize: 1,
            name: $options['other'],
        );
        $other->acquire()->release();
        $handles = [$pool->acquire(), $pool->acquire()];
        note('waits');
        $handles[] = $pool->acquire();
        note('served');
    },
    'global' => function () use ($pool): void {
        $GLOBALS['kept'] = $pool->acquire();
        end_if_at('global');
    },
    'static' => function () use ($pool): void {
        $handle = $pool->acquire();
        keep_in_a_static($handle->get());
        keep_in_a_static($handle);
        end_if_at('static');
    },
    'cycle' => function () use ($pool): void {
        $cycle = new stdClass();
        $cycle->cycle = $cycle;
        $cycle->handle = $pool->acquire();
        $cycle->resource = $cycle->handle->get();
        unset($cycle);
        end_if_at('cycle');
    },
];
$armed = true;
$places[$options['place']]();
note('goes on');
