"""php-fpm whose pages use a persistent pool of PostgreSQL connections, reached without a web server."""

import json
import os
import re
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from .artifacts import PHP_EXTENSIONS_OF_CLIENTS
from .fastcgi import FastCgiRequest, KeptConnection
from .process import command_line
from .web import UNPRIVILEGED, PhpFpm


def daemon_config():
    """Lets the children of php-fpm in."""
    users = f'users = ["{UNPRIVILEGED}"]\nsocket_group = "{UNPRIVILEGED}"\n' if os.geteuid() == 0 else ""
    return f"[access]\n{users}"


class PooledFpm:
    """settings: of the pool www; more_pools: of further ones."""

    def __init__(self, artifacts, daemon, postgres, children, settings=None, more_pools=None, ini=None):
        self.daemon = daemon
        self.postgres = postgres
        self.script = artifacts.script("www/asleep.php")
        values = {f"php_admin_value[{key}]": value for key, value in (ini or {}).items()}
        self._addresses = {}
        pools = {"www": settings or {}, **(more_pools or {})}
        self.fpm = PhpFpm(
            artifacts,
            daemon.runtime_dir,
            children,
            {},
            pool_settings={**values, **pools.pop("www")},
            extensions=PHP_EXTENSIONS_OF_CLIENTS,
            more_pools={name: {**values, **more} for name, more in pools.items()},
        )
        listens = {"www": (settings or {}).get("listen", self.fpm.socket_path)}
        listens.update({name: more.get("listen", self.fpm.socket_of(name)) for name, more in pools.items()})
        for name, listen in listens.items():
            self._addresses[name] = int(listen.rpartition(":")[2]) if ":" in listen else listen

    def begin(self, pool="www", **told):
        query = urllib.parse.urlencode({"dsn": self.postgres.dsn("visitor"), **told})
        return FastCgiRequest(self._addresses[pool], self.script, query)

    def keep(self, pool="www"):
        """A connection to one child, and what asks over it: keep() → (connection, ask(**told))."""
        connection = KeptConnection(self._addresses[pool])

        def ask(**told):
            query = urllib.parse.urlencode({"dsn": self.postgres.dsn("visitor"), **told})
            return json.loads(connection.ask(self.script, query))

        return connection, ask

    def ask(self, pool="www", **told):
        body = self.begin(pool, **told).finish()
        try:
            return json.loads(body)
        except ValueError:
            raise AssertionError(f"{body}\n{self.fpm.log_text()[-3000:]}") from None

    def ask_together(self, count, pool="www", **told):
        """So many requests at the same time."""
        with ThreadPoolExecutor(count) as visitors:
            return list(visitors.map(lambda _: self.ask(pool, **told), range(count)))

    def metric(self, name, **labels):
        """The sum of a family's series that have these labels."""
        total = 0.0
        for line in self.daemon.http_get("/metrics")[1].splitlines():
            series = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
            if series and series[1] == name and all(f'{k}="{v}"' in (series[2] or "") for k, v in labels.items()):
                total += float(series[3])
        return total

    def idle(self):
        return self.metric("oxphp_shared_pool_idle")

    def waits_above(self, seconds):
        return self.metric("oxphp_shared_pool_wait_seconds_count") - self.metric(
            "oxphp_shared_pool_wait_seconds_bucket", le=seconds
        )

    def children(self, pool):
        """Process ids of the pool's children."""
        with open(f"/proc/{self.fpm.process.pid}/task/{self.fpm.process.pid}/children", encoding="ascii") as pids:
            children = [int(pid) for pid in pids.read().split()]
        return [pid for pid in children if f"pool {pool}" in command_line(pid)]

    def end(self):
        self.fpm.end()
