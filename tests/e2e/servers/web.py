"""nginx in front of php-fpm, and wrk as the visitors."""

import os
import re
import shutil
import signal
import tempfile
import urllib.error
import urllib.request

from .artifacts import php_command
from .oxpoold import free_tcp_port
from .process import Process, run_to_end
from .waiting import wait_until

UNPRIVILEGED = "www-data"


class PhpFpm:
    """php-fpm with a fixed number of children on a unix socket. As root its children run as www-data.

    global_settings, pool_settings: more lines of its configuration, by key. extensions: more than every test needs.
    more_pools: settings of further pools, by name; each listens on socket_of(name) unless it says otherwise."""

    def __init__(self, artifacts, runtime_dir, children, environment, global_settings=None, pool_settings=None,
                 extensions=(), more_pools=None):
        self.directory = tempfile.mkdtemp(prefix="oxpool-fpm-", dir="/tmp")
        os.chmod(self.directory, 0o755)
        self.children = children
        self.socket_path = os.path.join(self.directory, "fpm.sock")
        self.log_path = os.path.join(self.directory, "log")
        configuration = os.path.join(self.directory, "fpm.conf")
        lines = [
            "[global]",
            f"error_log = {self.log_path}",
            "daemonize = no",
            *(f"{key} = {value}" for key, value in (global_settings or {}).items()),
        ]
        for name, settings in {"www": {"listen": self.socket_path, **(pool_settings or {})}, **(more_pools or {})}.items():
            defaults = {
                "listen": self.socket_of(name),
                "listen.mode": "0666",
                "pm": "static",
                "pm.max_children": children,
                "catch_workers_output": "yes",
                "php_admin_flag[log_errors]": "on",
                "php_admin_flag[display_errors]": "off",
                **({"user": UNPRIVILEGED, "group": UNPRIVILEGED} if os.geteuid() == 0 else {}),
            }
            lines.append(f"[{name}]")
            lines += [f"{key} = {value}" for key, value in {**defaults, **settings}.items()]
            lines += [f'env[{key}] = "{value}"' for key, value in environment.items()]
        with open(configuration, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        argv = php_command(artifacts, runtime_dir, program="/usr/sbin/php-fpm8.2", extensions=extensions)
        self.process = Process([*argv, "-F", "-y", configuration], self.log_path)
        wait_until(self._ready, what="php-fpm to start its children")

    def socket_of(self, pool):
        return os.path.join(self.directory, f"{pool}.sock")

    def _ready(self):
        assert self.process.running(), self.log_text()
        return "ready to handle connections" in self.log_text()

    def log_text(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def end(self):
        self.process.end(signal.SIGTERM)
        shutil.rmtree(self.directory, ignore_errors=True)


class Nginx:
    """nginx on a loopback port that passes every *.php of one folder to php-fpm."""

    def __init__(self, document_root, fpm):
        self.directory = tempfile.mkdtemp(prefix="oxpool-nginx-", dir="/tmp")
        os.chmod(self.directory, 0o755)
        self.port = free_tcp_port()
        self.log_path = os.path.join(self.directory, "log")
        user = f"user {UNPRIVILEGED};" if os.geteuid() == 0 else ""
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "\n".join(f"  {kind}_temp_path {self.directory}/{kind};" for kind in kinds)
        configuration = os.path.join(self.directory, "nginx.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"""
daemon off;
{user}
worker_processes 1;
pid {self.directory}/pid;
error_log {self.log_path} warn;
events {{ worker_connections 512; }}
http {{
  access_log off;
{temporary}
  server {{
    listen 127.0.0.1:{self.port} backlog=512;
    location / {{
      fastcgi_pass unix:{fpm.socket_path};
      fastcgi_read_timeout 60s;
      fastcgi_param SCRIPT_FILENAME {document_root}$uri;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param QUERY_STRING $query_string;
    }}
  }}
}}
""")
        argv = ["/usr/sbin/nginx", "-c", configuration, "-p", self.directory, "-e", self.log_path]
        self.process = Process(argv, self.log_path)
        wait_until(self._accepts, what="nginx to accept connections")

    def _accepts(self):
        assert self.process.running(), self.log_text()
        return self.get("/ready.php")[0] != 0

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def get(self, path):
        """(status, body); status 0 when nobody answers."""
        try:
            with urllib.request.urlopen(self.url(path), timeout=60) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode("utf-8", "replace")
        except OSError:
            return 0, ""

    def log_text(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def end(self):
        self.process.end(signal.SIGTERM)
        shutil.rmtree(self.directory, ignore_errors=True)


class Load:
    """What wrk saw."""

    def __init__(self, report):
        self.report = report
        self.requests = int(re.search(r"(\d+) requests in", report).group(1))
        refused = re.search(r"Non-2xx or 3xx responses: (\d+)", report)
        broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", report)
        self.refused = int(refused.group(1)) if refused else 0
        self.broken = sum(map(int, broken.groups())) if broken else 0

    @property
    def failed(self):
        return self.refused + self.broken


def run_wrk(url, connections, seconds):
    """Loads a loopback page for so many seconds and returns the Load."""
    assert url.startswith("http://127.0.0.1:")
    done = run_to_end(
        ["wrk", "-t", 1, "-c", connections, "-d", f"{seconds}s", "--timeout", "60s", url], timeout=seconds + 120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Load(done.stdout)
