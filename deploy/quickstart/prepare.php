<?php
// Makes the table that the workers read. Argument: the DSN of somebody who may.

$database = new PDO($argv[1]);
$database->exec('CREATE TABLE IF NOT EXISTS goods (id INTEGER PRIMARY KEY, price INTEGER NOT NULL)');
$insert = $database->prepare('INSERT INTO goods (id, price) VALUES (?, ?)');
$database->beginTransaction();
for ($id = 1; $id <= 1000; $id++) {
    $insert->execute([$id, random_int(1, 10_000)]);
}
$database->commit();
