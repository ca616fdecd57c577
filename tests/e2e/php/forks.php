<?php
// A parent with a pool of PostgreSQL connections forks, and says what its connections are before and after the child's end.
//
// Options (JSON, first argument): name, max, dsn; situation: holding, idle, body or waiting; ending: normal, exit, exception
// or fatal; touches: whether the child uses the pool before it ends.
//
// stdout: "waits" when it waits, "forked" when the child that was forked in the wait is gone, then one line of JSON when the child is gone:
// {"before": [backend pids], "after": the same, asked anew, "child": what the child reported, "counts": …}

use OxPHP\Shared\Pool;

$options = json_decode($argv[1], flags: JSON_THROW_ON_ERROR);

function backend(PDO $connection): int
{
    return (int) $connection->query('SELECT pg_backend_pid()')->fetchColumn();
}

/** A child that ends as asked. Returns in the parent, once the child is gone. */
function fork_one(Pool $pool, ?Pool\Handle $handle): void
{
    global $options, $report;
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid !== 0) {
        fclose($theirs);
        $report['child'] = json_decode((string) stream_get_contents($ours));
        pcntl_waitpid($pid, $status);
        $report['status'] = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : "signal $status";
        return;
    }
    $GLOBALS['is_child'] = true;
    ini_set('display_errors', '0');
    ini_set('log_errors', '0');
    if ($options->touches) {
        $said = [];
        try {
            $handle?->get();
        } catch (OxPHP\Shared\StaleHandleException) {
            $said['stale'] = true;
        }
        $said['backend'] = $pool->with(backend(...));
        fwrite($theirs, json_encode($said));
    }
    switch ($options->ending) {
        case 'exit':
            exit(0);
        case 'exception':
            throw new DomainException('of the child');
        case 'fatal':
            trigger_error('of the child', E_USER_ERROR);
    }
}

function counts(Pool $pool): array
{
    return [$pool->stats()->inUse(), $pool->stats()->idle()];
}

/** All that the parent has, in local variables, which an exception in the child unwinds. */
function with_local_variables(Pool $pool): void
{
    global $options, $report;
    $handle = $options->situation === 'idle' ? null : $pool->acquire();
    $connection = $handle?->get();
    $statement = $connection?->prepare('SELECT pg_backend_pid() + :nothing');
    $statement?->execute(['nothing' => 0]);
    if ($options->situation === 'idle') {
        $pool->with(function (PDO $connection) use ($pool, &$report): void {
            $report['before'] = [backend($connection)];
        });
    } else {
        $report['before'] = [(int) $statement->fetchColumn()];
    }
    if ($options->situation === 'waiting') {
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () use ($pool, $handle): void {
            fork_one($pool, $handle);
            echo "forked\n";
        });
        echo "waits\n";
        $second = $pool->acquire();
        $report['second'] = backend($second->get());
    } elseif ($options->situation === 'body') {
        $pool->with(fn () => fork_one($pool, $handle));
    } else {
        fork_one($pool, $handle);
    }
    if ($GLOBALS['is_child']) {
        return;
    }
    for ($i = 0; $i < 2000 && $options->situation === 'waiting' && counts($pool)[0] > 2; $i++) {
        usleep(5000); // who served this one still gives back what else it had
    }
    $report['counts'] = counts($pool);
    if ($options->situation === 'idle') {
        $report['after'] = [$pool->with(backend(...))];
        return;
    }
    $report['after'] = [backend($handle->get())];
    $statement->execute(['nothing' => 0]);
    $report['statement'] = (int) $statement->fetchColumn();
}

$is_child = false;
$report = [];
$pool = new Pool(
    factory: fn () => new PDO($options->dsn, options: [PDO::ATTR_EMULATE_PREPARES => false]),
    maxSize: $options->max,
    name: $options->name,
);
with_local_variables($pool);
if (!$is_child) {
    echo json_encode($report, JSON_THROW_ON_ERROR), "\n";
    fgets(STDIN);
}
