--TEST--
A connection that a variable of the ending script still has is counted until it is closed
--FILE--
<?php
require __DIR__ . '/../support.inc';

// A server that counts: it answers each connection with the number of those that are open.
$server = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($server, false);
$name = fresh_name('variables');
$pool = new OxPHP\Shared\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
$worker = new Worker('
    final class Connection {
        public $stream;
        public function __construct($address) { $this->stream = stream_socket_client("tcp://$address"); }
    }
    $pool = new OxPHP\Shared\Pool(factory: fn () => new Connection($address), maxSize: 1, name: $name);
    $handle = $pool->acquire();
    function keep($value) { static $kept; $kept = $value; }
    keep($handle->get());
    register_shutdown_function(fn () => say("ends"));
', ['name' => $name, 'address' => $address]);
$connection = stream_socket_accept($server);
$worker->expect('ends');
// The next unit comes after the connection's end, not before.
$handle = $pool->acquireTimeout(30000);
stream_set_blocking($connection, false);
var_dump(fread($connection, 1), feof($connection));
$worker->end();
?>
--EXPECT--
string(0) ""
bool(true)
