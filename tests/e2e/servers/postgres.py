"""A PostgreSQL server of its own: own data, own socket, no TCP, no trace afterwards."""

import os
import shutil
import signal
import subprocess

from .data_directory import make_data_directory
from .process import Process, run_to_end
from .waiting import wait_until

BINARIES = "/usr/lib/postgresql/15/bin"


class Postgres:
    """Ready when constructed. As root it runs as the package's own user, since the server refuses to run as root."""

    SUPERUSER = "keeper"

    def __init__(self, max_connections):
        self.user = "postgres" if os.geteuid() == 0 else None
        self.directory, data = make_data_directory("oxpool-pg-", self.user)
        made = run_to_end(
            [f"{BINARIES}/initdb", "-D", data, "-U", self.SUPERUSER, "-A", "trust", "--locale=C", "--no-sync"],
            user=self.user,
            timeout=120,
        )
        assert made.returncode == 0, made.stderr
        settings = {
            "max_connections": max_connections,
            "listen_addresses": "",
            "unix_socket_directories": self.directory,
            "fsync": "off",
            "log_connections": "off",
        }
        self.log_path = os.path.join(self.directory, "log")
        argv = [f"{BINARIES}/postgres", "-D", data]
        for key, value in settings.items():
            argv += ["-c", f"{key}={value}"]
        self.process = Process(argv, self.log_path, user=self.user)
        wait_until(self._accepts, what="PostgreSQL to accept connections")

    def _accepts(self):
        assert self.process.running(), self.log_text()
        return subprocess.call([f"{BINARIES}/pg_isready", "-q", "-h", self.directory]) == 0

    def dsn(self, user, database="postgres"):
        return f"pgsql:host={self.directory};user={user};dbname={database}"

    def execute(self, sql):
        """Runs statements as the superuser and returns what they print, unaligned."""
        psql = [f"{BINARIES}/psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        done = run_to_end([*psql, "-h", self.directory, "-U", self.SUPERUSER, "-d", "postgres", "-c", sql])
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def connections_of(self, role):
        """The server's own count, now."""
        return int(self.execute(f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{role}'"))

    def kill_connection(self, pid):
        """Ends a client's connection as an administrator would, and waits until the server has done so."""
        self.execute(f"SELECT pg_terminate_backend({pid})")
        wait_until(
            lambda: self.execute(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}") == "0",
            what=f"PostgreSQL to end connection {pid}",
        )

    def log_text(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def log_contains(self, text):
        return text in self.log_text()

    def end(self):
        self.process.end(signal.SIGINT)  # the fast shutdown: does not wait for clients
        shutil.rmtree(self.directory, ignore_errors=True)
