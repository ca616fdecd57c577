--TEST--
A closed resource is counted until the other end has hung up, or for 100 ms
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Connection
{
    public $stream;

    public function __construct(string $address)
    {
        $this->stream = stream_socket_client("tcp://$address");
    }
}
$server = stream_socket_server('tcp://127.0.0.1:0');
$pool = new OxPHP\Shared\Pool(factory: fn () => new Connection(stream_socket_get_name($server, false)), maxSize: 1);
// A server that never hangs up: its unit comes back all the same, but not before the time.
$handle = $pool->acquire();
$kept_open = stream_socket_accept($server);
$started = hrtime(true);
$handle->discard();
var_dump((hrtime(true) - $started) >= 100e6);
echo counts($pool), "\n";
// The server sees the end of the stream as soon as the resource is closed.
stream_set_blocking($kept_open, true);
var_dump(fread($kept_open, 1), feof($kept_open));
?>
--EXPECT--
bool(true)
in use 0, idle 0, waiting 0, max 1
string(0) ""
bool(true)
