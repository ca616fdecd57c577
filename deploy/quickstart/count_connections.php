<?php
// Asks PostgreSQL again and again how many connections the workers have, and appends each answer to server_counts.
// Argument: the DSN of a superuser. Runs until it is ended.

$database = new PDO($argv[1]);
$file = fopen(getenv('QUICKSTART_DIRECTORY') . '/server_counts', 'a');
while (true) {
    $count = $database->query("SELECT count(*) FROM pg_stat_activity WHERE usename = 'worker'")->fetchColumn();
    fwrite($file, "$count\n");
    usleep(5000);
}
