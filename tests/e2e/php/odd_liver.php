<?php
// A worker that holds a pool's only unit and does something odd with its descriptors or its processes, which must not look
// like its death. Says "did it", and at the next line of its input gives the unit back and says "gave it back".
//
// Options (JSON, first argument): name, server, oddity: a function below.

use OxPHP\Shared\Pool;

require __DIR__ . '/connection.php';

/** Numbers of this process's descriptors, but for the standard ones. */
function descriptors(): array
{
    return array_filter(array_map('intval', scandir('/proc/self/fd')), fn (int $number) => $number > 2);
}

function nothing(): void
{
}

function duplicates_and_closes_them(): void
{
    foreach (descriptors() as $number) {
        foreach (['r', 'r+', 'w'] as $mode) {
            $copy = @fopen("php://fd/$number", $mode);
            if (is_resource($copy)) {
                fclose($copy);
            }
        }
    }
}

function opens_them_anew(): void
{
    foreach (descriptors() as $number) {
        if (is_link("/proc/self/fd/$number") && !str_contains((string) @readlink("/proc/self/fd/$number"), ':')) {
            $again = @fopen("/proc/self/fd/$number", 'r');
            if (is_resource($again)) {
                flock($again, LOCK_EX | LOCK_NB);
                fclose($again);
            }
        }
    }
}

function forks_and_the_child_exits(): void
{
    for ($i = 0; $i < 5; $i++) {
        if (($pid = pcntl_fork()) === 0) {
            exit(0);
        }
        pcntl_waitpid($pid, $status);
    }
}

function forks_and_the_child_is_killed(): void
{
    if (($pid = pcntl_fork()) === 0) {
        posix_kill(getmypid(), 9);
    }
    pcntl_waitpid($pid, $status);
}

function forks_and_the_child_execs(): void
{
    if (($pid = pcntl_fork()) === 0) {
        pcntl_exec('/bin/true');
    }
    pcntl_waitpid($pid, $status);
}

function runs_programs(): void
{
    shell_exec('true');
    exec('exec true');
    proc_close(proc_open(['true'], [], $pipes));
    pclose(popen('true', 'r'));
}

function closes_its_session(): void
{
    posix_setsid();
}

$options = json_decode($argv[1], flags: JSON_THROW_ON_ERROR);
$pool = new Pool(factory: fn () => new Connection($options->server), maxSize: 1, name: $options->name);
$handle = $pool->acquire();
($options->oddity)();
echo "did it\n";
fgets(STDIN);
$handle->get()->ask();
$handle->release();
$pool->evict();
echo "gave it back\n";
fgets(STDIN);
