"""One request to php-fpm, without a web server between."""

import socket
import struct

from .waiting import WATCHDOG_SECONDS

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT = 1, 2, 3, 4, 5, 6


def _record(kind, content):
    return struct.pack("!BBHHBx", 1, kind, 1, len(content), 0) + content


def _parameter(key, value):
    def size(text):
        return bytes([len(text)]) if len(text) < 128 else struct.pack("!I", len(text) | 0x80000000)

    key, value = key.encode(), value.encode()
    return size(key) + size(value) + key + value


def _connect(address, timeout):
    connection = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
    connection.settimeout(timeout)
    connection.connect(address if isinstance(address, str) else ("127.0.0.1", address))
    return connection


def _request(script, query, keep):
    parameters = {"SCRIPT_FILENAME": script, "REQUEST_METHOD": "GET", "QUERY_STRING": query}
    return (
        _record(BEGIN, struct.pack("!HB5x", 1, 1 if keep else 0))
        + _record(PARAMS, b"".join(_parameter(key, value) for key, value in parameters.items()))
        + _record(PARAMS, b"")
        + _record(STDIN, b"")
    )


def _body(stream):
    said = b""
    while True:
        head = stream.read(8)
        assert len(head) == 8, f"the connection ended before the response: {said!r}"
        _, kind, _, length, padding = struct.unpack("!BBHHBx", head)
        content = stream.read(length)
        stream.read(padding)
        if kind == STDOUT:
            said += content
        if kind == END:
            break
    headers, _, body = said.partition(b"\r\n\r\n")
    assert b"Status: " not in headers, said
    return body.decode()


class FastCgiRequest:
    """Sent when it is made; finish() reads the answer. address: a unix socket's path, or a loopback port."""

    def __init__(self, address, script, query="", timeout=WATCHDOG_SECONDS):
        self._socket = _connect(address, timeout)
        self._socket.sendall(_request(script, query, keep=False))

    def finish(self):
        """The body."""
        with self._socket, self._socket.makefile("rb") as stream:
            return _body(stream)


class KeptConnection:
    """Requests one after the other to one child, as nginx does it with fastcgi_keep_conn."""

    def __init__(self, address, timeout=WATCHDOG_SECONDS):
        self._socket = _connect(address, timeout)
        self._stream = self._socket.makefile("rb")

    def ask(self, script, query=""):
        self._socket.sendall(_request(script, query, keep=True))
        return _body(self._stream)

    def end(self):
        self._stream.close()
        self._socket.close()
