<?php
// What the three kinds of PDO have in common. There is a table `numbers` with one column; 1 is in it.

abstract class PdoClient
{
    public ?string $validate = 'validate_pdo';

    abstract public function connect(array $to): PDO;

    /** What the server calls the connection. */
    abstract public function id(PDO $pdo): ?int;

    /** A statement of whose rows one was read. */
    abstract protected function unread(PDO $pdo): PDOStatement;

    /** Leaves it as a careless body does; what is returned is kept. */
    public function spoil(PDO $pdo, string $how): mixed
    {
        switch ($how) {
            case 'nothing':
                return null;
            case 'transaction':
                $pdo->beginTransaction();
                $pdo->exec('INSERT INTO numbers VALUES (666)');
                return null;
            case 'transaction by statement':
                $pdo->exec('BEGIN');
                $pdo->exec('INSERT INTO numbers VALUES (666)');
                return null;
            case 'unread rows':
                $this->unread($pdo);
                return null;
            case 'unread rows, kept':
                return $this->unread($pdo);
        }
        throw new LogicException($how);
    }

    /** @return list<?string> what should not be there */
    public function look(PDO $pdo): array
    {
        return [
            $pdo->inTransaction() ? 'a transaction' : null,
            failure(function () use ($pdo): void {
                $pdo->beginTransaction();
                $pdo->exec('INSERT INTO numbers VALUES (2)');
                $pdo->commit();
            }),
            failure(function () use ($pdo): void {
                $numbers = $pdo->query('SELECT n FROM numbers ORDER BY n')->fetchAll(PDO::FETCH_COLUMN);
                if (array_map('intval', $numbers) !== [1, 2]) {
                    throw new RuntimeException('the numbers are ' . implode(', ', $numbers));
                }
            }),
        ];
    }
}
