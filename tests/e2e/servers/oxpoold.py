"""The daemon under test, in a runtime directory of its own on tmpfs."""

import os
import shutil
import signal
import socket
import tempfile
import urllib.error
import urllib.request

from .process import Process, run_to_end
from .waiting import WATCHDOG_SECONDS, wait_until


def free_tcp_port():
    """A loopback port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Oxpoold:
    """Starts, stops, kills and restarts one oxpoold. Its configuration can be rewritten between or for a reload."""

    def __init__(
        self, artifacts, config="", runtime_dir=None, user=None, environment=None, arguments=(), http=True, wrapper=()
    ):
        self.artifacts = artifacts
        self.directory = tempfile.mkdtemp(prefix="oxpoold-", dir="/tmp")
        os.chmod(self.directory, 0o755)
        self._owns_runtime_dir = runtime_dir is None
        self.runtime_dir = runtime_dir or tempfile.mkdtemp(prefix="oxpool-", dir="/dev/shm")
        if self._owns_runtime_dir:
            os.chmod(self.runtime_dir, 0o755)
        self.config_path = os.path.join(self.directory, "oxpoold.toml")
        self.log_path = os.path.join(self.directory, "log")
        self.user = user
        self.environment = environment or {}
        self.arguments = list(arguments)
        self.wrapper = list(wrapper)  # a command that runs the one behind it, in the same process
        self.http = http
        self.http_port = free_tcp_port()
        self.process = None
        self.write_config(config)

    def write_config(self, text):
        with open(self.config_path, "w", encoding="utf-8") as config:
            config.write(text)
        os.chmod(self.config_path, 0o644)

    def argv(self, *more):
        return [
            *self.wrapper,
            self.artifacts.oxpoold,
            "--runtime-dir", self.runtime_dir,
            "--config", self.config_path,
            "--http", f"127.0.0.1:{self.http_port}" if self.http else "off",
            *self.arguments,
            *more,
        ]

    def start(self):
        """Starts it and waits until it is ready."""
        self.start_unready()
        self.wait_until_ready()
        return self

    def start_unready(self):
        self.process = Process(self.argv(), self.log_path, env=self.environment, user=self.user)
        return self

    def run_to_end(self, *more, timeout=WATCHDOG_SECONDS):
        """For a start that must be refused: runs it to its end and returns the CompletedProcess."""
        return run_to_end(self.argv(*more), env=self.environment, user=self.user, timeout=timeout)

    def wait_until_ready(self):
        def ready():
            assert self.process.running(), f"oxpoold ended with {self.process.exit_code}:\n{self.log_text()}"
            return self.http_get("/readyz")[0] == 200

        wait_until(ready, what="oxpoold to answer /readyz with 200")

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()

    def kill(self):
        self.process.kill()

    def restart(self):
        """Starts it anew on the same directory; the old one must have ended."""
        assert not self.process.running()
        return self.start()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def log_text(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

    def log_contains(self, text):
        return text in self.log_text()

    def wait_for_log(self, text, after=0):
        """Waits until the log has `text` beyond its first `after` characters; returns what stands beyond them."""
        wait_until(lambda: text in self.log_text()[after:], what=f"{text!r} in the log of oxpoold:\n{self.log_text()}")
        return self.log_text()[after:]

    def http_get(self, path):
        """(status, body, headers); status 0 when nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}{path}", timeout=WATCHDOG_SECONDS) as answer:
                return answer.status, answer.read().decode(), dict(answer.headers)
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode(), dict(refusal.headers)
        except OSError:
            return 0, "", {}

    def client_socket(self):
        return os.path.join(self.runtime_dir, "client.sock")

    def admin_socket(self):
        return os.path.join(self.runtime_dir, "admin.sock")

    def end(self):
        if self.process:
            self.process.end()
        shutil.rmtree(self.directory, ignore_errors=True)
        if self._owns_runtime_dir:
            shutil.rmtree(self.runtime_dir, ignore_errors=True)
