<?php
// Asks PostgreSQL, over and over, how many connections of one role it has; prints each answer on a line of its own.
// Arguments: DSN of a superuser, the role. Ends when its output is closed or by a signal.

[, $dsn, $role] = $argv;
$database = new PDO($dsn);
$count = $database->prepare('SELECT count(*) FROM pg_stat_activity WHERE usename = ?');
while (true) {
    $count->execute([$role]);
    if (fwrite(STDOUT, $count->fetchColumn() . "\n") === false) {
        exit;
    }
    usleep(2000);
}
