"""A Redis server of its own: own socket, no TCP, nothing written, no trace afterwards."""

import os
import shutil
import tempfile

from .process import Process, run_to_end
from .waiting import wait_until


class Redis:
    """Ready when constructed."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="oxpool-redis-", dir="/tmp")
        os.chmod(self.directory, 0o755)
        self.socket = os.path.join(self.directory, "socket")
        self.process = Process(
            ["redis-server", "--port", "0", "--unixsocket", self.socket, "--unixsocketperm", "777", "--save", "", "--appendonly", "no"],
            os.path.join(self.directory, "log"),
            cwd=self.directory,
        )
        wait_until(self._accepts, what="Redis to accept connections")

    def _client(self, *command):
        return run_to_end(["redis-cli", "-e", "-s", self.socket, *command])

    def _accepts(self):
        assert self.process.running(), self.process.log_text()
        return self._client("PING").returncode == 0

    def execute(self, *command):
        """Runs one command and returns what it prints."""
        done = self._client(*command)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def kill_connection(self, number):
        """Ends a client's connection as an administrator would."""
        self.execute("CLIENT", "KILL", "ID", number)

    def end(self):
        self.process.end()
        shutil.rmtree(self.directory, ignore_errors=True)
