--TEST--
The first pool that is named after a path that moves at each deploy says so, once
--FILE--
<?php
require __DIR__ . '/../support.inc';

$log = new ErrorLog();
$pools[] = eval('return new OxPHP\Shared\Pool(factory: fn () => new stdClass());');
$pools[] = eval('return new OxPHP\Shared\Pool(factory: fn () => new stdClass());');
$pools[] = eval('return new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: "named");');
echo count($log->lines()), "\n", preg_replace('~\'/.*/~', "'", $log->lines()[0]), "\n";
?>
--EXPECTF--
1
oxpool: the pool '%s(%d) : eval()'d code:1' is named after a path that is another one after the next deploy; workers of before and after then have two budgets. Give it a name (option `name`)
