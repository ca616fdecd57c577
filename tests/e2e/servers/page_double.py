"""Serves the live page from its sources, and about pools what the test says: for what real ones seldom are."""

import copy
import http.server
import json
import os
import threading
from urllib.parse import parse_qs, urlparse

from .artifacts import REPOSITORY
from .oxpoold import free_tcp_port

SOURCES = os.path.join(REPOSITORY, "daemon", "http", "ui")
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}

HISTOGRAM = {"p50_ms": 0, "p90_ms": 0, "p99_ms": 0, "sum_ms": 0, "bounds_ms": [0.1, 1, 10], "buckets": [0, 0, 0, 0]}
POOL = {
    "given_name": True, "namespace": "uid-0", "count": 0, "in_use": 0, "idle": 0, "waiting": 0, "minting": 0,
    "closing": 0, "flagged": 0, "max_size": 8, "utilization": 0, "workers": 1, "age_ms": 5000, "oldest_wait_ms": None,
    "factory_mean_ms": 1.5, "mem_bytes": 4864,
    "cap": {"in_force": 8, "source": "workers", "requested": 8, "operator": None, "disagreement": False},
    "gate": {"state": "open", "opens_in_ms": None},
    "settings": {
        "idle_timeout_ms": 300000, "max_lifetime_ms": 0, "leak_after_ms": 0, "patience_ms": None, "close_wait_ms": 100,
        "min_idle": 0, "max_waiting": None, "rebalance_strategy": "handover",
    },
    "counters": {
        "acquire": {"ok": 0, "timeout": 0, "closed": 0, "saturated": 0},
        "acquire_failed": {"factory": 0, "max_waiting": 0, "deadlock": 0, "interrupted": 0, "capacity": 0},
        "evicted": {"dead_owner": 0},
        "releases": 0, "mints": 0, "hand_overs": 0, "overtakings": 0, "leaks": 0,
    },
    "wait": HISTOGRAM, "hold": HISTOGRAM, "factory": HISTOGRAM,
}  # fmt: skip


class PageDouble:
    """pools: lists of pools, of which the page gets the first until next() is called. Ends with end()."""

    def __init__(self):
        self.pools = []
        self.details = {"holders": [], "waiters": [], "idle_by_worker": {}}
        self.events = []
        self.not_ready = []  # sentences
        self.spoilt = None  # (what is said instead of JSON,), or (None,) for a 500
        self.asked = 0  # for the list of pools
        self.unix_ms = 2000  # of this daemon, which has one second a look
        self.port = free_tcp_port()
        double = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                double._answer(self)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def add_pool(self, name, **differences):
        """A pool that differs from POOL in some keys; "in_use" and the like, or whole objects."""
        pool = copy.deepcopy(POOL)
        pool.update(id=len(self.pools) + 1, name=name, **differences)
        self.pools.append(pool)
        return pool

    def _answer(self, handler):
        url = urlparse(handler.path)
        status, kind, body = 200, "application/json", None
        spoilt = self.spoilt
        if spoilt and url.path.startswith("/api/"):
            status, body = (200, spoilt[0]) if spoilt[0] else (500, "out of memory")
        elif url.path == "/api/v1/pools":
            self.asked += 1
            self.unix_ms += 1000
            body = json.dumps({"unix_ms": 1, "pools": self.pools})
        elif url.path == "/api/v1/pool":
            wanted = int(parse_qs(url.query)["id"][0])
            body = json.dumps({**next(pool for pool in self.pools if pool["id"] == wanted), **self.details})
        elif url.path == "/api/v1/events":
            body = json.dumps({"last": len(self.events), "events": self.events})
        elif url.path == "/api/v1/server":
            body = json.dumps(
                {"version": "0", "pid": 1, "unix_ms": self.unix_ms, "started_unix_ms": 1000, "sessions": 0, "loop_late_ms": 0,
                 "resident_bytes": 1, "troubles": self.not_ready, "namespaces": []}
            )  # fmt: skip
        elif url.path == "/readyz":
            status, kind, body = 503 if self.not_ready else 200, "text/plain", "\n".join(self.not_ready or ["ready"])
        elif url.path in ("/ui/uplot.js", "/ui/uplot.css"):  # as in a build without npm
            kind, body = TYPES[os.path.splitext(url.path)[1]], ""
        else:
            name = os.path.basename(url.path) or "index.html"
            with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
                kind, body = TYPES[os.path.splitext(name)[1]], file.read()
        data = body.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def end(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
