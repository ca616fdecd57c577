<?php
// A request that adds 1 to the value of a mutex. Answers with JSON: its pid, and the value or the class of the exception.
//
// name, on  the mutex, and what becomes of it when its holder is killed
// events    a file for its lines: "begins PID", "holds PID"
// for_ever  holds the lock until it is killed

$note = fn (string $event) => file_put_contents($_GET['events'], $event . ' ' . getmypid() . "\n", FILE_APPEND);
$mutex = new OxPHP\Shared\Mutex(0, $_GET['name'], $_GET['on']);
$note('begins');
try {
    $answer = $mutex->withLock(function (int &$value) use ($note): int {
        ++$value;
        $note('holds');
        while (isset($_GET['for_ever'])) {
            usleep(5000);
        }
        return $value;
    });
} catch (OxPHP\Shared\SharedException $e) {
    $answer = get_class($e);
}
echo json_encode(['pid' => getmypid(), 'answer' => $answer]);
