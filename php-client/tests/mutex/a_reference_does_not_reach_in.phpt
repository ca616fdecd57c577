--TEST--
References that the closure makes do not lead into the shared value afterwards
--FILE--
<?php
require __DIR__ . '/../support.inc';
use OxPHP\Shared\{Mutex, Pool, Registry};

$mutex = new Mutex(['n' => 1], fresh_name('references'));
$outside = 'outside';
$mutex->withLock(function (&$value) use (&$outside, &$captured) {
    $value['outside'] = &$outside;
    $captured = &$value;
});
$outside = 'changed';
echo json_encode(value_of($mutex)), "\n";
$mutex->withLock(function (&$value) use (&$again) {
    $again = &$value;
    $value['n'] = 2;
});
$again['n'] = 3;
$again = 'gone';
echo json_encode(value_of($mutex)), "\n";
// A snapshot is the closure's caller's own.
$mutex->withLock(function ($value) use (&$snapshot) {
    $snapshot = $value;
});
$snapshot['n'] = 4;
echo json_encode(value_of($mutex)), "\n";
foreach ([1, 2] as $round) {
    $mutex->withLock(function (array &$value) {
        foreach ($value as &$element) {
            $element = "$element!";
        }
    });
}
echo json_encode(value_of($mutex)), "\n";
?>
--EXPECT--
{"n":1,"outside":"outside"}
{"n":2,"outside":"outside"}
{"n":2,"outside":"outside"}
{"n":"2!!","outside":"outside!!"}
