"""One request at a time to one script, by the command line, php-fpm, or PHP's built-in web server.

Each Sapi has begin(parameters), which starts a request and returns one with pid and finish(); finish() says how the
request ended as a text of what is wrong with that, empty when nothing is.
"""

import json
import os
import shutil
import signal
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from .artifacts import php_command
from .oxpoold import free_tcp_port
from .process import Process
from .waiting import WATCHDOG_SECONDS, wait_until
from .web import Nginx, PhpFpm


class Cli:
    """A process for each request."""

    name = "CLI"
    lasts = False  # the process ends with its request
    has_pcntl = True

    def __init__(self, artifacts, runtime_dir, script, user=None, command=None, environment=None):
        self._environment = environment
        self._command = command or php_command(artifacts, runtime_dir)
        self._script = artifacts.script(script)
        self._user = user
        self._directory = tempfile.mkdtemp(prefix="oxpool-cli-", dir="/tmp")
        self._started = []

    def begin(self, parameters):
        log = os.path.join(self._directory, "log")
        request = CliRequest([*self._command, self._script, json.dumps(parameters)], log, self._user, self._environment)
        self._started.append(request)
        return request

    def end(self):
        for request in self._started:
            request.process.end(signal.SIGKILL)
        shutil.rmtree(self._directory, ignore_errors=True)


class CliRequest:
    def __init__(self, argv, log_path, user, environment):
        self.process = Process(argv, log_path, user=user, env=environment)
        self.pid = self.process.pid

    def finish(self, timeout=WATCHDOG_SECONDS):
        code = self.process.wait(timeout)
        return "" if code in (0, 255) else f"exit code {code}"


class Web:
    """A server whose one worker serves every request. `server` has url() and end()."""

    lasts = True

    def __init__(self, server, script, has_pcntl):
        self.has_pcntl = has_pcntl
        self._server = server
        self._script = script
        self._visitor = ThreadPoolExecutor(1)
        self.pid = self.ask({})["pid"]

    def _visit(self, parameters):
        url = self._server.url(f"/{self._script}?{urllib.parse.urlencode(parameters)}")
        try:
            with urllib.request.urlopen(url, timeout=WATCHDOG_SECONDS) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode("utf-8", "replace")
        except OSError as failure:
            return 0, str(failure)

    def begin(self, parameters):
        return WebRequest(self.pid, self._visitor.submit(self._visit, parameters))

    def ask(self, parameters):
        """The answer of the script, which is JSON."""
        status, body = self._visit(parameters)
        assert status == 200, f"{status}: {body}\n{self._server.log_text()[-2000:]}"
        return json.loads(body)

    def kill(self):
        """Without asking it to end; end() is still to be called."""
        self._server.process.kill()

    def end(self):
        self._server.end()
        self._visitor.shutdown()


class WebRequest:
    def __init__(self, pid, visit):
        self.pid = pid
        self._visit = visit

    def finish(self, timeout=WATCHDOG_SECONDS):
        status, body = self._visit.result(timeout)
        return "" if status in (200, 500) else f"status {status} {body}"


class BuiltInServer:
    """php -S on a loopback port."""

    def __init__(self, artifacts, runtime_dir, user=None, command=None, environment=None, start_seconds=WATCHDOG_SECONDS):
        self.directory = tempfile.mkdtemp(prefix="oxpool-php-S-", dir="/tmp")
        self.log_path = os.path.join(self.directory, "log")
        self.port = free_tcp_port()
        argv = command or php_command(artifacts, runtime_dir)
        root = artifacts.script("www")
        self.process = Process(
            [*argv, "-S", f"127.0.0.1:{self.port}", "-t", root], self.log_path, user=user, env=environment
        )
        wait_until(self._accepts, timeout=start_seconds, what="php -S to accept connections")

    def _accepts(self):
        assert self.process.running(), self.log_text()
        try:
            with urllib.request.urlopen(self.url("/ready.php"), timeout=WATCHDOG_SECONDS):
                return True
        except OSError:
            return False

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def log_text(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def end(self):
        self.process.end(signal.SIGINT)
        shutil.rmtree(self.directory, ignore_errors=True)


class Site:
    """nginx and php-fpm behind it, as one server."""

    def __init__(self, artifacts, fpm):
        self.fpm = fpm
        self.nginx = Nginx(artifacts.script("www"), fpm)

    def url(self, path):
        return self.nginx.url(path)

    def log_text(self):
        return self.fpm.log_text()

    def end(self):
        self.nginx.end()
        self.fpm.end()


# What a test asks for: each makes the SAPI that serves php/www/ends.php, by another command than usual if asked to.
def cli(artifacts, runtime_dir, user, **options):
    return Cli(artifacts, runtime_dir, "www/ends.php", user, **options)


def built_in_server(artifacts, runtime_dir, user, **options):
    return Web(BuiltInServer(artifacts, runtime_dir, user, **options), "ends.php", has_pcntl=True)


def php_fpm(artifacts, runtime_dir, _user):
    return Web(Site(artifacts, PhpFpm(artifacts, runtime_dir, children=1, environment={})), "ends.php", has_pcntl=False)
