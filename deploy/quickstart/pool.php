<?php
// What all programs of the quickstart share: how a connection is opened and closed, and the pool that bounds them.

use OxPHP\Shared\Pool;

require __DIR__ . '/turnstile.php';

const MOST_CONNECTIONS = 8;

/** A database connection, and its place at the turnstile for as long as it is open. */
final class Connection
{
    private ?PDO $database;
    private Turnstile $place;

    public function __construct()
    {
        $this->place = Turnstile::enter(getenv('QUICKSTART_DIRECTORY'));
        try {
            $this->database = new PDO(getenv('QUICKSTART_DSN'));
        } catch (PDOException $e) {
            $this->place->leave();
            throw $e;
        }
    }

    /** What a page might do: a query, and about a millisecond of work with its result. */
    public function use(): void
    {
        $price = $this->database->query('SELECT price FROM goods WHERE id = ' . random_int(1, 1000))->fetchColumn();
        if ($price === false) {
            throw new RuntimeException('the query found nothing');
        }
        usleep(1000);
    }

    public function close(): void
    {
        $this->database = null;
        $this->place->leave();
    }
}

function quickstart_pool(): Pool
{
    return new Pool(
        factory: fn () => new Connection(),
        destroy: fn (Connection $connection) => $connection->close(),
        maxSize: MOST_CONNECTIONS,
        name: 'quickstart',
    );
}

/** All begin together: when the script makes the file "go". */
function await_go(): void
{
    while (!file_exists(getenv('QUICKSTART_DIRECTORY') . '/go')) {
        usleep(5000);
        clearstatcache();
    }
}
