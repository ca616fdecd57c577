<?php
// A page that asks the database one thing: through a pool of 8, or (?direct=1) the way it is done without one.

use OxPHP\Shared\Pool;

function ask(PDO $database): string
{
    return (string) $database->query('SELECT 42 FROM pg_sleep(0.002)')->fetchColumn();
}

$connect = fn (): PDO => new PDO(getenv('DSN'));

try {
    if (isset($_GET['direct'])) {
        echo ask($connect());
    } else {
        $pool = new Pool(factory: $connect, maxSize: 8, name: 'page');
        echo $pool->with(ask(...));
    }
} catch (Throwable $e) {
    http_response_code(500);
    error_log(get_class($e) . ': ' . $e->getMessage());
    echo get_class($e), ': ', $e->getMessage();
}
