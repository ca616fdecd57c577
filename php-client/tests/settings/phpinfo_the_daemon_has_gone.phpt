--TEST--
phpinfo() of a worker whose daemon has gone: attached, and the daemon not reachable
--FILE--
<?php
require __DIR__ . '/../support.inc';

$daemon = new Daemon();
$worker = new Worker('
    $pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), name: "p");
    say("attached");
    hear();
    foreach (preg_grep("/^(Daemon reachable|This worker|p) /", explode("\n", oxpool_info())) as $line) {
        say($line);
    }
', [], $daemon->options());
$worker->expect('attached');
$daemon->kill();
$worker->tell('go');
echo str_replace($daemon->directory, 'DIRECTORY', $worker->rest());
?>
--EXPECT--
Daemon reachable => no (oxpoold at DIRECTORY/client.sock: connect: Connection refused; is oxpoold running, and is this its runtime directory?)
This worker => attached to oxpoold
p => 1 => 0 => 0 => 32
