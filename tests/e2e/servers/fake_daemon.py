"""Something on client.sock that is not oxpoold, or not this one. The records are those of proto/handshake.h."""

import os
import re
import socket
import struct
import threading

from .artifacts import REPOSITORY

HELLO_MAGIC = 0x4F58504C
REPLY_MAGIC = 0x4F585044
HELLO_BYTES = 152
REPLY_BYTES = 632
MESSAGE_BYTES = 512
with open(os.path.join(REPOSITORY, "shm", "layout.h"), encoding="utf-8") as _layout:
    ABI_MAJOR = int(re.search(r"kAbiMajor = (\d+)", _layout.read()).group(1))
STATUS_OK = 0
STATUS_ABI = 2


def hello(abi_major, abi_minor=0, magic=HELLO_MAGIC, size=HELLO_BYTES):
    """A hello that asks to attach to the default namespace. Behind the version come a kind and, here, only zeros."""
    return struct.pack("=IIIII", magic, size, abi_major, abi_minor, 1).ljust(HELLO_BYTES, b"\0")


def reply(abi_major, status, message=b"", magic=REPLY_MAGIC, size=REPLY_BYTES):
    head = struct.pack("=IIIII", magic, size, abi_major, 0, status)
    return head.ljust(REPLY_BYTES - MESSAGE_BYTES, b"\0") + message.ljust(MESSAGE_BYTES, b"\0")


def read_reply(connection):
    """The reply's {"magic", "bytes", "abi_major", "abi_minor", "status", "message"}; None when the daemon hung up."""
    data = b""
    while len(data) < REPLY_BYTES:
        chunk = connection.recv(REPLY_BYTES - len(data))
        if not chunk:
            return None
        data += chunk
    fields = dict(zip(("magic", "bytes", "abi_major", "abi_minor", "status"), struct.unpack_from("=IIIII", data)))
    fields["message"] = data[-MESSAGE_BYTES:].split(b"\0")[0].decode()
    return fields


class FakeDaemon:
    """Listens on client.sock of a directory; behave(connection) is run for each client, in a thread."""

    def __init__(self, directory, behave):
        self.behave = behave
        self.connections = []
        self.listen = socket.socket(socket.AF_UNIX)
        path = os.path.join(directory, "client.sock")
        self.listen.bind(path)
        os.chmod(path, 0o666)
        self.listen.listen(16)
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listen.accept()
            except OSError:  # shut down by end()
                return
            self.connections.append(connection)
            try:
                self.behave(connection)
            except OSError:
                pass

    def end(self):
        self.listen.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listen.close()
        for connection in self.connections:
            connection.close()
