#!/usr/bin/python3
"""A TCP server that counts the connections it has open at the same time, as a database would.

It runs as a program of its own (counting_server.py starts it), so that the test's own work can not make it late.
Every byte received is echoed, so a client can make sure that it is served. On its control socket it answers every
line with a line of JSON: {"open": now, "peak": most at once, "accepted": since the start}; "reset" starts the peak anew.
"""

import argparse
import json
import selectors
import socket
import time


class Server:
    def __init__(self, listen_socket, control_socket, close_late_seconds):
        self.listen = listen_socket
        self.control = control_socket
        self.close_late_seconds = close_late_seconds
        self.clients = selectors.EpollSelector()  # apart from the rest, to be drained before a newcomer is counted
        self.all = selectors.EpollSelector()
        for source in (self.listen, self.control):
            source.setblocking(False)
            self.all.register(source, selectors.EVENT_READ)
        self.all.register(self.clients, selectors.EVENT_READ)
        self.closing = []  # (when, socket): hung up by the client, still counted
        self.open = self.peak = self.accepted = 0

    def run(self):
        while True:
            wait = max(0.0, self.closing[0][0] - time.monotonic()) if self.closing else None
            ready = {key.fileobj for key, _ in self.all.select(wait)}
            self.serve_clients()
            if self.listen in ready:
                self.accept_one()
            if self.control in ready:
                connection, _ = self.control.accept()
                self.all.register(connection, selectors.EVENT_READ)
            for source in ready - {self.listen, self.control, self.clients}:
                self.answer(source)

    def serve_clients(self):
        """Echoes, takes note of hang-ups, closes what is due. Nothing that happened before this call is left unseen."""
        while events := self.clients.select(0):
            for key, _ in events:
                try:
                    data = key.fileobj.recv(4096)
                    if data:
                        key.fileobj.send(data)
                except BlockingIOError:
                    continue
                except ConnectionError:
                    data = b""
                if not data:
                    self.clients.unregister(key.fileobj)
                    self.closing.append((time.monotonic() + self.close_late_seconds, key.fileobj))
        while self.closing and self.closing[0][0] <= time.monotonic():
            self.open -= 1  # before the close: whoever sees our end hang up may connect at once
            self.closing.pop(0)[1].close()

    def accept_one(self):
        """One newcomer at a time, and after the hang-ups that preceded it: or one would be counted too many."""
        try:
            connection, _ = self.listen.accept()
        except BlockingIOError:
            return
        connection.setblocking(False)
        self.serve_clients()
        self.clients.register(connection, selectors.EVENT_READ)
        self.open += 1
        self.accepted += 1
        self.peak = max(self.peak, self.open)

    def answer(self, connection):
        command = connection.recv(4096)
        if not command:
            self.all.unregister(connection)
            connection.close()
            return
        if command.strip() == b"reset":
            self.peak = self.open
        state = {"open": self.open, "peak": self.peak, "accepted": self.accepted}
        connection.sendall(json.dumps(state).encode() + b"\n")


def main():
    parser = argparse.ArgumentParser(description="counts the connections it has open at the same time")
    parser.add_argument("--control", required=True, help="path of the control socket")
    parser.add_argument("--close-late-ms", type=float, default=0, help="hang up so long after the client did")
    options = parser.parse_args()
    control = socket.socket(socket.AF_UNIX)
    listen = socket.socket()
    listen.bind(("127.0.0.1", 0))
    listen.listen(1024)
    control.bind(options.control)
    control.listen(8)
    print(listen.getsockname()[1], flush=True)
    Server(listen, control, options.close_late_ms / 1000).run()


if __name__ == "__main__":
    main()
