<?php
// What the pools of the tests hold: a connection to the counting server, which is as slow to open and close as asked.

final class Connection
{
    /** @var resource */
    private $stream;

    public function __construct(string $address, int $slowMs = 0)
    {
        $stream = stream_socket_client($address, $code, $reason, 30);
        if ($stream === false) {
            throw new RuntimeException("can not connect to $address: $reason ($code)");
        }
        $this->stream = $stream;
        $this->ask();
        usleep($slowMs * 1000);
    }

    /** One round trip: proves that the server still serves this connection. */
    public function ask(): void
    {
        if (fwrite($this->stream, 'x') !== 1 || fread($this->stream, 1) !== 'x') {
            throw new RuntimeException('the counting server hung up');
        }
    }

    public function close(int $slowMs = 0): void
    {
        usleep($slowMs * 1000);
        fclose($this->stream);
    }
}
