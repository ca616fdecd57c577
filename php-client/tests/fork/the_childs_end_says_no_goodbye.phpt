--TEST--
What a child does with an inherited connection, and its end, does not reach the parent's server
--EXTENSIONS--
pcntl
--INI--
report_memleaks=0
--FILE--
<?php
require __DIR__ . '/../support.inc';

final class Client
{
    public $stream;

    public function __construct(string $address)
    {
        $this->stream = stream_socket_client("tcp://$address");
    }

    public function say(string $text): void
    {
        @fwrite($this->stream, $text);
    }

    public function __destruct()
    {
        $this->say('goodbye');
    }
}
$server = stream_socket_server('tcp://127.0.0.1:0');
$pool = new OxPHP\Shared\Pool(
    factory: fn () => new Client(stream_socket_get_name($server, false)),
    destroy: fn (Client $client) => $client->say('closing'),
    maxSize: 2,
);
$handle = $pool->acquire();
$connection = stream_socket_accept($server);
$client = $handle->get();
$pid = pcntl_fork();
if ($pid === 0) {
    echo thrown(fn () => $handle->get()) === 'nothing' ? 'wrong' : 'stale', "\n";
    $client->say('the child');
    exit(0);
}
pcntl_waitpid($pid, $status);
stream_set_blocking($connection, false);
echo 'the server heard "', fread($connection, 100), "\"\n";
$client->say('the parent');
stream_set_blocking($connection, true);
echo 'the server heard "', fread($connection, 100), "\"\n";
unset($client);
$handle->discard();
echo 'the server heard "', stream_get_contents($connection), "\"\n";
?>
--EXPECT--
stale
the server heard ""
the server heard "the parent"
the server heard "closinggoodbye"
