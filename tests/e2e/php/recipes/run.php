<?php
// One worker with a pool of one: a body spoils the resource, the next body looks at what it got. Options (JSON):
// {"client": one of the files beside this one, "spoil": how, "kill": null|"held"|"idle", "recipes": path of the recipes
// of php-client/README.md or null for none, "to": what the client needs to connect}
//
// It says ["spoiled", id of the connection on the server], waits for a line, and says ["found", {"dirty": what the next
// body found that should not be there, "made": how many resources, "inUse": …, "idle": …}].

use OxPHP\Shared\Pool;

$options = json_decode($argv[1], true);

function say(string $what, mixed $value): void
{
    fwrite(STDOUT, json_encode([$what, $value]) . "\n");
}

function hear(): void
{
    fgets(STDIN);
}

/** Null when what is run goes well, else what it threw. */
function failure(callable $run): ?string
{
    try {
        $run();
        return null;
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
}

$client = require __DIR__ . "/{$options['client']}.php";
$reset = $validate = null;
if ($options['recipes'] !== null) {
    require $options['recipes'];
    $reset = "reset_{$options['client']}";
    $validate = $client->validate;
}
$made = 0;
$pool = new Pool(
    factory: function () use ($client, $options, &$made) {
        $made++;
        return $client->connect($options['to']);
    },
    maxSize: 1,
    reset: $reset,
    validate: $validate,
    validateAfterIdleMs: 0,
);

$kept = null; // what the first body leaves in a variable
$pool->with(function (object $resource) use ($client, $options, &$kept): void {
    $id = $client->id($resource);
    $kept = $client->spoil($resource, $options['spoil']);
    if ($options['kill'] === 'held') {
        say('spoiled', $id);
        hear();
    } else {
        $GLOBALS['id'] = $id;
    }
});
if ($options['kill'] !== 'held') {
    say('spoiled', $id);
    hear();
}
$found = ['dirty' => $pool->with(fn (object $resource): array => array_values(array_filter($client->look($resource))))];
$found['made'] = $made;
$found['inUse'] = $pool->stats()->inUse();
$found['idle'] = $pool->stats()->idle();
say('found', $found);
