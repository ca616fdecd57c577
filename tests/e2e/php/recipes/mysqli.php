<?php

// There is a table `numbers` with one column; 1 is in it.
return new class {
    public ?string $validate = 'validate_mysqli';

    public function connect(array $to): mysqli
    {
        return new mysqli('localhost', 'root', '', 'test', 0, $to['socket']);
    }

    public function id(mysqli $db): int
    {
        return $db->thread_id;
    }

    public function spoil(mysqli $db, string $how): mixed
    {
        switch ($how) {
            case 'nothing':
                return null;
            case 'transaction':
                $db->begin_transaction();
                $db->query('INSERT INTO numbers VALUES (666)');
                return null;
            case 'transaction by statement':
                $db->query('BEGIN');
                $db->query('INSERT INTO numbers VALUES (666)');
                return null;
            case 'unread rows':
                $this->unread($db);
                return null;
            case 'unread rows, kept':
                return $this->unread($db);
            case 'unread results':
                $db->multi_query('SELECT 1; SELECT 2');
                return null;
        }
        throw new LogicException($how);
    }

    private function unread(mysqli $db): mysqli_result
    {
        $result = $db->query('SELECT seq FROM seq_1_to_100000', MYSQLI_USE_RESULT);
        $result->fetch_row();
        return $result;
    }

    /** @return list<?string> what should not be there */
    public function look(mysqli $db): array
    {
        return [
            failure(function () use ($db): void {
                if ($db->query('SELECT @@in_transaction')->fetch_row()[0] !== '0') {
                    throw new RuntimeException('a transaction');
                }
            }),
            failure(function () use ($db): void {
                $db->begin_transaction();
                $db->query('INSERT INTO numbers VALUES (2)');
                $db->commit();
            }),
            failure(function () use ($db): void {
                $numbers = array_merge(...$db->query('SELECT n FROM numbers ORDER BY n')->fetch_all());
                if ($numbers !== ['1', '2']) {
                    throw new RuntimeException('the numbers are ' . implode(', ', $numbers));
                }
            }),
        ];
    }
};
