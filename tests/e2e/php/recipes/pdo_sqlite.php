<?php

require __DIR__ . '/pdo.php';

return new class extends PdoClient {
    public ?string $validate = null; // there is no connection to lose

    public function connect(array $to): PDO
    {
        return new PDO("sqlite:{$to['file']}");
    }

    public function id(PDO $pdo): ?int
    {
        return null;
    }

    protected function unread(PDO $pdo): PDOStatement
    {
        $sequence = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 1000)';
        $statement = $pdo->query("$sequence SELECT numbers.n FROM numbers, c");
        $statement->fetch();
        return $statement;
    }
};
