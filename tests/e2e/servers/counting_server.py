"""The server that counts its own connections (counting_server_program.py), started, asked and ended."""

import json
import os
import shutil
import socket
import sys
import tempfile

from .process import Process

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "counting_server_program.py")


class CountingServer:
    """Counts once constructed. close_late_ms: hang up, and stop counting, so long after the client did."""

    def __init__(self, close_late_ms=0):
        self.directory = tempfile.mkdtemp(prefix="oxpool-count-", dir="/tmp")
        control = os.path.join(self.directory, "control")
        self.process = Process(
            [sys.executable, PROGRAM, "--control", control, "--close-late-ms", close_late_ms],
            os.path.join(self.directory, "log"),
            piped=True,
        )
        self.port = int(self.process.read_line())
        self._control = socket.socket(socket.AF_UNIX)
        self._control.connect(control)
        self._answers = self._control.makefile("r")

    @property
    def address(self):
        return f"tcp://127.0.0.1:{self.port}"

    def _ask(self, command):
        self._control.sendall(command.encode() + b"\n")
        return json.loads(self._answers.readline())

    def state(self):
        """{"open": …, "peak": …, "accepted": …}"""
        return self._ask("state")

    def reset_peak(self):
        return self._ask("reset")

    def end(self):
        self._answers.close()
        self._control.close()
        self.process.end()
        shutil.rmtree(self.directory, ignore_errors=True)
