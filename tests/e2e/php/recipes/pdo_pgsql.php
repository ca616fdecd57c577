<?php

require __DIR__ . '/pdo.php';

return new class extends PdoClient {
    public function connect(array $to): PDO
    {
        return new PDO("{$to['dsn']};options='-c statement_timeout=60000'");
    }

    public function id(PDO $pdo): int
    {
        return (int) $pdo->query('SELECT pg_backend_pid()')->fetchColumn();
    }

    public function spoil(PDO $pdo, string $how): mixed
    {
        switch ($how) {
            case 'failed transaction':
                $pdo->beginTransaction();
                failure(fn () => $pdo->exec('SELECT 1 / 0'));
                return null;
            case 'session':
                $pdo->exec('SET statement_timeout = 1000; LISTEN careless; SELECT pg_advisory_lock(5)');
                $pdo->exec('DECLARE careless CURSOR WITH HOLD FOR SELECT generate_series(1, 9)');
                return null;
        }
        return parent::spoil($pdo, $how);
    }

    /** A cursor on the server. */
    protected function unread(PDO $pdo): PDOStatement
    {
        $pdo->beginTransaction();
        $statement = $pdo->prepare('SELECT generate_series(1, 100000)', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
        $statement->execute();
        $statement->fetch();
        return $statement;
    }

    public function look(PDO $pdo): array
    {
        return [...parent::look($pdo), failure(function () use ($pdo): void {
            $value = fn (string $sql): string => (string) $pdo->query($sql)->fetchColumn();
            $left = array_filter([
                'timeout' => $value('SHOW statement_timeout') !== '1min',
                'listening' => $value('SELECT count(*) FROM pg_listening_channels()') !== '0',
                'lock' => $value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") !== '0',
                'cursor' => $value("SELECT count(*) FROM pg_cursors WHERE name = 'careless'") !== '0',
            ]);
            if ($left !== []) {
                throw new RuntimeException('left in the session: ' . implode(', ', array_keys($left)));
            }
        })];
    }
};
