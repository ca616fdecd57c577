"""php-fpm whose requests use a persistent pool as php/www/persistent.php is told, and what the database servers count."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request

from .artifacts import PHP_EXTENSIONS_OF_CLIENTS, php_command
from .mariadb import Mariadb
from .postgres import Postgres
from .redis import Redis
from .sapis import BuiltInServer, Site
from .waiting import WATCHDOG_SECONDS, wait_until
from .web import UNPRIVILEGED, PhpFpm

CLIENTS = ["pdo_pgsql", "pdo_mysql", "pdo_sqlite", "mysqli", "pgsql", "phpredis"]
RESETS = {
    "pdo_pgsql": "reset_persistent_pdo_pgsql",
    "pdo_mysql": "reset_persistent_pdo_mysql",
    "pdo_sqlite": "reset_persistent_pdo_sqlite",
    "mysqli": None,
    "pgsql": "reset_persistent_pgsql",
    "phpredis": "reset_phpredis",
}
VALIDATES = {
    "pdo_pgsql": "validate_pdo",
    "pdo_mysql": "validate_pdo",
    "pdo_sqlite": "validate_pdo",
    "mysqli": "validate_mysqli",
    "pgsql": "validate_pgsql",
    "phpredis": "validate_phpredis",
}


class Backend:
    """The server of one client: how to reach it, how many connections it has, how one is ended."""

    def __init__(self, client, servers):
        self.client = client
        self.server = None
        self.to = {}
        if client in ("pdo_pgsql", "pgsql"):
            self.server = servers[Postgres]
            self.to = {
                "dsn": self.server.dsn("visitor"),
                "connection": f"host={self.server.directory} user=visitor dbname=postgres",
            }
        elif client in ("pdo_mysql", "mysqli"):
            self.server = servers[Mariadb]
            self.to = {"dsn": f"mysql:unix_socket={self.server.socket};dbname=test", "socket": self.server.socket}
        elif client == "phpredis":
            self.server = servers[Redis]
            self.to = {"socket": self.server.socket}

    def connections(self):
        """As the server counts them; None where there is no server."""
        if isinstance(self.server, Postgres):
            return self.server.connections_of("visitor")
        if isinstance(self.server, Mariadb):
            return int(
                self.server.execute("SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'test'")
            )
        if isinstance(self.server, Redis):
            clients = self.server.execute("CLIENT", "LIST").splitlines()
            return len([line for line in clients if "cmd=client" not in line.replace("client|id", "other")])
        return None

    def kill(self, connection):
        self.server.kill_connection(connection)


class PersistentSite:
    """nginx and php-fpm with so many children that reach `daemon`; or PHP's built-in server, if `built_in`, or where
    OXPOOL_PHP_PREFIX asks for a sanitizer (libpq hangs in a forked child that has one)."""

    def __init__(self, artifacts, daemon, children=1, ini=None, built_in=False):
        ini = ini or {}
        if built_in or os.environ.get("OXPOOL_PHP_PREFIX"):
            settings = {"display_errors": "0", "log_errors": "1", **ini}
            command = php_command(artifacts, daemon.runtime_dir, settings, extensions=PHP_EXTENSIONS_OF_CLIENTS)
            user = UNPRIVILEGED if os.geteuid() == 0 else None
            self._server = BuiltInServer(artifacts, daemon.runtime_dir, user=user, command=command)
        else:
            fpm = PhpFpm(
                artifacts,
                daemon.runtime_dir,
                children,
                {},
                pool_settings={f"php_admin_value[{key}]": value for key, value in ini.items()},
                extensions=PHP_EXTENSIONS_OF_CLIENTS,
            )
            self._server = Site(artifacts, fpm)

    def url(self, path):
        return self._server.url(path)

    def _get(self, path):
        try:
            with urllib.request.urlopen(self.url(path), timeout=WATCHDOG_SECONDS) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode("utf-8", "replace")
        except OSError as failure:
            return 0, str(failure)

    def visit(self, **told):
        """(status, body) of one request that does as it is told."""
        return self._get(f"/persistent.php?q={urllib.parse.quote(json.dumps(told))}")

    def ask(self, **told):
        status, body = self.visit(**told)
        assert status == 200, f"{status} {body}\n{self.log_text()[-3000:]}"
        return json.loads(body)

    def other_page(self):
        """A request that does not use any pool."""
        assert self._get("/ready.php")[0] == 200

    def log_text(self):
        return self._server.log_text()

    def wait_until_other_pages_make(self, condition, what):
        def once():
            self.other_page()
            return condition()

        wait_until(once, what=what)

    def end(self):
        self._server.end()


class Kept:
    """One client's pool `kept` in php-fpm."""

    def __init__(self, site, backend, recipes, ctl):
        self.site = site
        self.backend = backend
        self.ctl = ctl
        self._told = {"recipes": recipes, "to": backend.to, "client": backend.client}

    def ask(self, *do, **told):
        return self.site.ask(**self._told, do=[[*step, None][:2] for step in do], **told)

    def visit(self, *do, **told):
        return self.site.visit(**self._told, do=[[*step, None][:2] for step in do], **told)

    def said(self, **told):
        """What one body said, or what the acquire threw."""
        return self.ask(["id"], **told)["said"][0]

    def id(self, **told):
        """The connection that served one request."""
        said = self.said(**told)
        assert "xception" not in said, said
        return said

    def pool(self):
        pools = self.ctl.json("list")
        pools = pools["pools"] if isinstance(pools, dict) else pools
        return next((pool for pool in pools if pool["name"] == "kept"), None)

    def size(self):
        pool = self.pool()
        return int(pool.get("inUse", pool.get("in_use", 0))) + int(pool.get("idle", 0))

    def wait_until_gone(self, what):
        wait_until(lambda: self.size() == 0, what=f"{what} to close the slot")
        if self.backend.server:
            assert self.backend.connections() == 0
