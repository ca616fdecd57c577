--TEST--
phpinfo() attaches to nothing, and says whether a daemon is there
--FILE--
<?php
require __DIR__ . '/../support.inc';

$interesting = fn (string $info): string => implode("\n", preg_grep('/^(Namespace|Daemon reachable|This worker|Pool of this worker)/', explode("\n", $info)));
$descriptors = count(scandir('/proc/self/fd'));
echo $interesting(oxpool_info()), "\n";
var_dump(count(scandir('/proc/self/fd')) === $descriptors);
foreach (['', '-d oxpool.namespace=shop'] as $namespace) {
    $worker = new Worker('say(oxpool_info());', [], "-d oxpool.runtime_dir=/nonexistent/oxpool -d oxpool.on_unavailable=local $namespace");
    echo $interesting($worker->rest()), "\n";
}
?>
--EXPECTF--
Namespace => the default of uid %d
Daemon reachable => yes
This worker => not attached
bool(true)
Namespace => the default of uid %d
Daemon reachable => no (oxpoold at /nonexistent/oxpool/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?)
This worker => not attached
Namespace => shop
Daemon reachable => no (oxpoold at /nonexistent/oxpool/client.sock: connect: No such file or directory; is oxpoold running, and is this its runtime directory?)
This worker => not attached
