<?php
// One indexed query a request, in the way that ?way= names.

use OxPHP\Shared\Pool;

$dsn = getenv('DSN');

function balance(PDO $database): string
{
    $query = $database->prepare('SELECT balance FROM account WHERE id = ?');
    $query->execute([random_int(1, 10000)]);

    return (string) $query->fetchColumn();
}

function pool(string $dsn, bool $persistent, bool $gate): Pool
{
    return new Pool(...[
        'factory' => $persistent
            ? fn (string $slot): PDO => new PDO($dsn, options: [PDO::ATTR_PERSISTENT => $slot])
            : fn (): PDO => new PDO($dsn),
        'maxSize' => 16,
        'name' => 'accounts',
        ...($persistent ? ['persistent' => true, 'acceptGate' => $gate] : []),
    ]);
}

try {
    echo match ($_GET['way'] ?? '') {
        'connect' => balance(new PDO($dsn)),
        'persistent' => balance(new PDO($dsn, options: [PDO::ATTR_PERSISTENT => true])),
        'pool' => pool($dsn, false, false)->withTimeout(balance(...), 10_000),
        'parked' => pool($dsn, true, false)->withTimeout(balance(...), 10_000),
        'gated' => pool($dsn, true, true)->withTimeout(balance(...), 10_000),
    };
} catch (Throwable $e) {
    http_response_code(500);
    error_log(get_class($e) . ': ' . $e->getMessage());
}
