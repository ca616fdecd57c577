"""A MariaDB server of its own: own data, own socket, no TCP, no trace afterwards."""

import os
import shutil

from .data_directory import make_data_directory
from .process import Process, run_to_end
from .waiting import wait_until


class Mariadb:
    """Ready when constructed, with an empty database `test` that root may use without a password. As root it runs as
    the package's own user."""

    def __init__(self):
        self.user = "mysql" if os.geteuid() == 0 else None
        self.directory, data = make_data_directory("oxpool-mariadb-", self.user)
        made = run_to_end(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--skip-test-db",
            ],
            user=self.user,
            timeout=120,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        self.socket = os.path.join(self.directory, "socket")
        self.process = Process(
            [
                "/usr/sbin/mariadbd",
                "--no-defaults",
                f"--datadir={data}",
                f"--socket={self.socket}",
                f"--pid-file={self.directory}/pid",
                "--skip-networking",
                "--innodb-buffer-pool-size=8M",
                "--innodb-flush-log-at-trx-commit=0",
            ],
            os.path.join(self.directory, "log"),
            user=self.user,
        )
        wait_until(self._accepts, what="MariaDB to accept connections")
        self.execute("CREATE DATABASE test")

    def _client(self, sql):
        return run_to_end(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root", "-N", "-B", "-e", sql])

    def _accepts(self):
        assert self.process.running(), self.process.log_text()
        return self._client("SELECT 1").returncode == 0

    def execute(self, sql):
        """Runs statements as root and returns what they print: lines of values with tabs between them."""
        done = self._client(sql)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def kill_connection(self, number):
        """Ends a client's connection as an administrator would, and waits until the server has done so."""
        self.execute(f"KILL {number}")
        wait_until(
            lambda: self.execute(f"SELECT COUNT(*) FROM information_schema.processlist WHERE id = {number}") == "0",
            what=f"MariaDB to end connection {number}",
        )

    def end(self):
        self.process.end()
        shutil.rmtree(self.directory, ignore_errors=True)
