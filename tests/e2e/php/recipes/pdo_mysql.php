<?php

require __DIR__ . '/pdo.php';

return new class extends PdoClient {
    public function connect(array $to): PDO
    {
        return new PDO("mysql:unix_socket={$to['socket']};dbname=test", 'root', '');
    }

    public function id(PDO $pdo): int
    {
        return (int) $pdo->query('SELECT CONNECTION_ID()')->fetchColumn();
    }

    protected function unread(PDO $pdo): PDOStatement
    {
        $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
        $statement = $pdo->query('SELECT seq FROM seq_1_to_100000');
        $statement->fetch();
        $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
        return $statement;
    }
};
