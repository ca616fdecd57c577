<?php
// One request to a persistent pool, as told by the JSON in ?q=:
//
// recipes      files with the README's functions
// client, to   which of them, and what it needs to connect
// pool         options of the pool
// do           what is done, one after the other; see below
//
// ?strict=1: what is thrown is not caught.
//
// Answers with JSON: pid, factory (how often it ran), and what each step said.

use OxPHP\Shared\{Pool, Registry};

$q = json_decode($_GET['q'], true);
foreach ($q['recipes'] ?? [] as $file) {
    require_once $file;
}
function validate_never(): bool
{
    return false;
}

$to = $q['to'];
$client = $q['client'];
$factories = [
    'pdo_pgsql' => fn (string $slot) => open_pdo($slot, $to['dsn']),
    'pdo_mysql' => fn (string $slot) => open_pdo($slot, $to['dsn'], 'root', ''),
    'pdo_sqlite' => fn (string $slot) => open_pdo($slot, 'sqlite::memory:'),
    'mysqli' => fn () => open_mysqli(null, 'root', '', 'test', null, $to['socket']),
    'pgsql' => fn (string $slot) => open_pgsql($slot, $to['connection']),
    'phpredis' => fn (string $slot) => open_phpredis($slot, $to['socket'], 0),
    // Bad ones.
    'ignores_key' => fn () => new PDO($to['dsn'], null, null, [PDO::ATTR_PERSISTENT => true]),
    'opens_two' => fn (string $slot) => [new PDO($to['dsn'], null, null, [PDO::ATTR_PERSISTENT => $slot]),
        new PDO($to['dsn'], null, null, [PDO::ATTR_PERSISTENT => "$slot more"])][0],
    'opens_another' => fn (string $slot) => new PDO($to['dsn'] . ";application_name={$q['name']}", null, null,
        [PDO::ATTR_PERSISTENT => $slot]),
    'not_persistent' => fn () => new PDO($to['dsn']),
    'pfsockopen' => function () use ($to) {
        $made = new stdClass();
        $made->stream = pfsockopen("unix://{$to['socket']}");
        return $made;
    },
    'throws' => fn (string $slot) => open_pdo($slot, $to['dsn']) && throw new LogicException('no'),
];
$ran = 0;
$destroyed = 0;
$factory = $factories[$client];
$counted = (new ReflectionFunction($factory))->getNumberOfRequiredParameters() > 0
    ? function (string $slot) use ($factory, $q, &$ran) {
        $ran++;
        if (($q['fails'] ?? null) === 'throw') {
            throw new LogicException('the factory fails');
        }
        return ($q['fails'] ?? null) === 'null' ? null : $factory($slot);
    }
    : function () use ($factory, &$ran) {
        $ran++;
        return $factory();
    };
$query = [
    'id' => fn ($r) => match (true) {
        $r instanceof Redis => (string) $r->rawCommand('CLIENT', 'ID'),
        $r instanceof mysqli => (string) $r->thread_id,
        $r instanceof PgSql\Connection => (string) pg_get_pid($r),
        $r instanceof PDO && $r->getAttribute(PDO::ATTR_DRIVER_NAME) === 'pgsql' => (string) $r->query('SELECT pg_backend_pid()')->fetchColumn(),
        $r instanceof PDO && $r->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql' => (string) $r->query('SELECT CONNECTION_ID()')->fetchColumn(),
        $r instanceof PDO => (function () use ($r) {
            $r->exec('CREATE TABLE IF NOT EXISTS identity (n)');
            if ($r->query('SELECT count(*) FROM identity')->fetchColumn() == 0) {
                $r->exec('INSERT INTO identity VALUES (random())');
            }
            return (string) $r->query('SELECT n FROM identity')->fetchColumn();
        })(),
        default => 'object',
    },
];
$run = fn ($r, string $sql) => match (true) {
    $r instanceof Redis => $r->rawCommand(...explode(' ', $sql)),
    $r instanceof mysqli => ($result = $r->query($sql)) instanceof mysqli_result ? $result->fetch_all() : $result,
    $r instanceof PgSql\Connection => pg_fetch_all(pg_query($r, $sql)),
    default => ($statement = $r->query($sql))->columnCount() ? $statement->fetchAll(PDO::FETCH_NUM) : true,
};
$options = ['maxSize' => 4, ...$q['pool'] ?? []];
foreach (['reset', 'validate'] as $name) {
    if (isset($options[$name])) {
        $options[$name] = $options[$name](...);
    }
}
$pool = new Pool($counted, function () use (&$destroyed) {
    $destroyed++;
}, ...['name' => 'kept', 'persistent' => true, ...$options]);
$said = [];
foreach ($q['do'] ?? [['id']] as [$what, $argument]) {
    try {
        $said[] = match ($what) {
            'id' => $pool->with($query['id']),
            'ids' => array_map(fn ($h) => $query['id']($h->get()), array_map(fn () => $pool->acquire(), range(1, $argument))),
            'tryId' => ($handle = $pool->tryAcquire()) === null ? null : $query['id']($handle->get()),
            'run' => $pool->with(fn ($r) => $run($r, $argument)),
            'begin' => $pool->with(fn ($r) => $r->beginTransaction()),
            'discard' => $pool->acquire()->discard(),
            'evict' => $pool->evict(),
            'sweep' => $pool->sweep(fn ($r) => (bool) $argument, 10),
            'warm' => $pool->warm($argument),
            'drop' => $pool = null,
            'new' => ($pool = new Pool($counted, ...['name' => 'kept', 'persistent' => true, ...$options])) && null,
            'registry' => Registry::pool('kept', fn () => $pool)->with($query['id']),
            'fork' => (function () {
                if (($child = pcntl_fork()) === 0) {
                    posix_kill(getmypid(), SIGINT); // ends the server in the child, once its request is over
                    exit(json_encode(['said' => ['the child']]));
                }
                pcntl_waitpid($child, $status);
                return $status;
            })(),
            'nothing' => null,
            'idle' => $pool->stats()->idle(),
            'size' => $pool->stats()->size(),
            'dump' => print_r($pool, true),
            'info' => (function () {
                ob_start();
                phpinfo(INFO_MODULES);
                return preg_match('/kept.*/', ob_get_clean(), $row) ? strip_tags($row[0]) : '';
            })(),
            'ping' => @$pool->with(fn ($r) => $r->ping()),
            'keep' => ($GLOBALS['kept'] = $pool->acquire()) && $query['id']($GLOBALS['kept']->get()),
            'exit' => $pool->with(fn () => exit(json_encode(['pid' => getmypid(), 'factory' => $ran]))),
            'fatal' => $pool->with(fn () => trigger_error('fatal', E_USER_ERROR)),
            'memory' => $pool->with(fn () => str_repeat('x', 1 << 40)),
            'time' => $pool->with(function () {
                set_time_limit(1);
                while (true);
            }),
            'throw' => $pool->with(fn () => throw new LogicException('body')),
            'wait' => (function () use ($argument) {
                file_put_contents($argument . '.there', '');
                while (!file_exists($argument)) {
                    usleep(2000);
                    clearstatcache();
                }
            })(),
        };
    } catch (Exception $e) {
        if (isset($_GET['strict'])) {
            throw $e;
        }
        $said[] = get_class($e) . ': ' . $e->getMessage();
    }
}
echo json_encode(['pid' => getmypid(), 'factory' => $ran, 'destroyed' => $destroyed, 'said' => $said]);
