#!/usr/bin/python3
"""nginx + php-fpm + PostgreSQL under one load, with what people do today beside what oxpool does.

    tests/bench/fpm_bench.py [--seconds 20] [--only a,c,f] [--rates 20,400]

Starts and ends everything itself (deploy/packages.sh: packages_test, packages_postgres, packages_bench); needs a build
in OXPOOL_BUILD_DIR or ./build. Each way gets its own php-fpm, daemon and count of connections, one after the other in the
same run; the server takes 20 connections. Nothing here fails by being slow."""

import argparse
import concurrent.futures
import http.client
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from servers.artifacts import Artifacts  # noqa: E402
from servers.oxpoold import Oxpoold  # noqa: E402
from servers.postgres import Postgres  # noqa: E402
from servers.process import Process, adopt_orphans, run_to_end  # noqa: E402
from servers.waiting import wait_until  # noqa: E402
from servers.web import Nginx, PhpFpm  # noqa: E402

ROOM = 20
CAP = 16
CHILDREN = 40
CLIENTS = 64
# Of these PostgreSQL keeps some for superusers, which the sampler is.
SUPERUSERS = 3

ACCESS = '[access]\nsocket_mode = "0666"\nusers = ["root", "www-data"]\n'

WAYS = {
    "a": ("connect per request", "connect", CHILDREN),
    "b": ("ATTR_PERSISTENT alone", "persistent", CHILDREN),
    "c": ("pgbouncer, session pooling, 16", "connect", CHILDREN),
    "d": ("oxpool", "pool", CHILDREN),
    "e": ("oxpool, persistent", "parked", CHILDREN),
    "f": ("oxpool, persistent, accept gate", "gated", CHILDREN),
    "g": ("16 children, ATTR_PERSISTENT", "persistent", CAP),
}


class PgBouncer:
    def __init__(self, postgres, role):
        self.directory = tempfile.mkdtemp(prefix="oxpool-pgbouncer-", dir="/tmp")
        os.chmod(self.directory, 0o777)
        self.log_path = os.path.join(self.directory, "log")
        configuration = os.path.join(self.directory, "pgbouncer.ini")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                f"""[databases]
postgres = host={postgres.directory} dbname=postgres user={role}
[pgbouncer]
listen_addr =
unix_socket_dir = {self.directory}
listen_port = 6432
auth_type = any
pool_mode = session
server_reset_query = DISCARD ALL
default_pool_size = {CAP}
max_client_conn = 500
logfile = {self.log_path}
"""
            )
        os.chmod(configuration, 0o644)
        user = "postgres" if os.geteuid() == 0 else None
        self.process = Process(["/usr/sbin/pgbouncer", configuration], self.log_path + ".out", user=user)
        wait_until(lambda: os.path.exists(os.path.join(self.directory, ".s.PGSQL.6432")), what="pgbouncer to listen")

    def dsn(self, role):
        return f"pgsql:host={self.directory};port=6432;user={role};dbname=postgres"

    def end(self):
        self.process.end(signal.SIGINT)
        shutil.rmtree(self.directory, ignore_errors=True)


class Peak:
    """The most connections of one role that the server counted, looked at all the time."""

    def __init__(self, postgres, role):
        self.most = 0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(postgres, role), daemon=True)
        self._thread.start()

    def _watch(self, postgres, role):
        while not self._ends.wait(0.2):
            self.most = max(self.most, postgres.connections_of(role))

    def end(self):
        self._ends.set()
        self._thread.join()
        return self.most


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]


def load(url, seconds):
    """(requests/s, errors, p50 ms, p99 ms) that wrk saw."""
    done = run_to_end(
        ["wrk", "-t", 1, "-c", CLIENTS, "-d", f"{seconds}s", "--latency", "--timeout", "30s", url],
        timeout=seconds + 120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = done.stdout
    requests = int(re.search(r"(\d+) requests in", report).group(1))
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", report)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", report)
    errors = (int(refused.group(1)) if refused else 0) + (sum(map(int, broken.groups())) if broken else 0)
    at = {name: milliseconds(value) for name, value in re.findall(r"(50|99)%\s+([\d.]+[a-z]+)", report)}
    return requests / seconds, errors, at["50"], at["99"]


def counted(daemon, family):
    """The sum over all pools of a metric."""
    total = 0.0
    for line in daemon.http_get("/metrics")[1].splitlines():
        if line.startswith(family + "{"):
            total += float(line.rsplit(" ", 1)[1])
    return total


class Stage:
    """One way of reaching the database, with servers of its own."""

    def __init__(self, letter, artifacts, postgres, pm):
        self.name, self.way, children = WAYS[letter]
        self.postgres = postgres
        self.role = f"role_{letter}"
        # One more than the way allows itself is an error of the server, however short it was.
        limit = CAP if letter in "cdef" else -1
        postgres.execute(f"CREATE ROLE {self.role} LOGIN CONNECTION LIMIT {limit}; GRANT SELECT ON account TO {self.role}")
        self.bouncer = PgBouncer(postgres, self.role) if letter == "c" else None
        dsn = (self.bouncer or postgres).dsn(self.role)
        self.daemon = Oxpoold(artifacts, config=ACCESS)
        self.daemon.start()
        self.fpm = PhpFpm(artifacts, self.daemon.runtime_dir, children, {"DSN": dsn}, pool_settings=pm)
        self.nginx = Nginx(self.root(artifacts), self.fpm)

    @staticmethod
    def root(artifacts):
        folder = os.path.join(artifacts.directory, "bench")
        if not os.path.isdir(folder):
            os.mkdir(folder)
            os.chmod(folder, 0o755)
            shutil.copyfile(os.path.join(HERE, "fpm", "page.php"), os.path.join(folder, "page.php"))
            shutil.copyfile(artifacts.script("www/ready.php"), os.path.join(folder, "ready.php"))
        return folder

    def url(self):
        return self.nginx.url(f"/page.php?way={self.way}")

    def end(self):
        self.nginx.end()
        self.fpm.end()
        self.daemon.end()
        if self.bouncer is not None:
            self.bouncer.end()


def at_full_load(letter, artifacts, postgres, seconds):
    stage = Stage(letter, artifacts, postgres, {})
    try:
        load(stage.url(), 2)  # connections are made, code is compiled
        refused_before = stage.postgres.log_text().count("too many connections")
        mints_before = counted(stage.daemon, "oxpool_pool_mints_total")
        peak = Peak(postgres, stage.role)
        rate, errors, p50, p99 = load(stage.url(), seconds)
        most = peak.end()
        mints = counted(stage.daemon, "oxpool_pool_mints_total") - mints_before
        refused = stage.postgres.log_text().count("too many connections") - refused_before
        connects = f"{mints / (rate * seconds):.3f}" if letter in "def" else ""
        return [letter, stage.name, f"{rate:.0f}", str(errors), f"{p50:.1f}", f"{p99:.1f}", str(most), str(refused), connects]
    finally:
        stage.end()


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    began = time.monotonic()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status == 200, (time.monotonic() - began) * 1e3
    except OSError:
        return False, (time.monotonic() - began) * 1e3
    finally:
        connection.close()


def at_rate(letter, artifacts, postgres, rate, seconds, pm):
    """Requests come at a rate of their own, whatever the answers do."""
    stage = Stage(letter, artifacts, postgres, pm)
    try:
        path = f"/page.php?way={stage.way}"
        with concurrent.futures.ThreadPoolExecutor(max_workers=CLIENTS) as clients:

            def run(for_seconds):
                began = time.monotonic()
                answers = []
                for i in range(int(rate * for_seconds)):
                    time.sleep(max(0.0, began + i / rate - time.monotonic()))
                    answers.append(clients.submit(ask, stage.nginx.port, path))
                return [answer.result() for answer in answers]

            run(min(5, seconds))
            mints_before = counted(stage.daemon, "oxpool_pool_mints_total")
            answers = run(seconds)
        mints = counted(stage.daemon, "oxpool_pool_mints_total") - mints_before
        times = sorted(ms for _, ms in answers)
        errors = sum(not good for good, _ in answers)
        share = f"{100 * mints / len(answers):.1f} %"
        return [letter, f"{stage.name}, pm = {pm.get('pm', 'static')}", str(rate), str(errors),
                f"{times[len(times) // 2]:.1f}", f"{times[int(len(times) * 0.99)]:.1f}", share]
    finally:
        stage.end()


def print_table(titles, rows):
    widths = [max(len(row[i]) for row in [titles, *rows]) for i in range(len(titles))]
    for row in [titles, ["-" * width for width in widths], *rows]:
        cells = [row[i].ljust(widths[i]) if i < 2 else row[i].rjust(widths[i]) for i in range(len(row))]
        print("  ".join(cells).rstrip())
    print(flush=True)


def server():
    postgres = Postgres(max_connections=ROOM + SUPERUSERS)
    postgres.execute(
        "CREATE TABLE account AS SELECT i AS id, i * 7 % 1000 AS balance FROM generate_series(1, 10000) i;"
        "ALTER TABLE account ADD PRIMARY KEY (id); ANALYZE account"
    )
    return postgres


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=20)
    options.add_argument("--only", default=",".join(WAYS))
    options.add_argument("--rates", default="20,400", help="requests/s of the runs below full load; empty = none")
    asked = options.parse_args()
    adopt_orphans()
    artifacts = Artifacts()
    letters = [letter for letter in asked.only.split(",") if letter in WAYS]
    try:
        print(f"nginx, {CHILDREN} php-fpm children, PostgreSQL with room for {ROOM}, {CLIENTS} clients, {asked.seconds} s each\n")
        rows = []
        for letter in letters:
            postgres = server()
            try:
                rows.append(at_full_load(letter, artifacts, postgres, asked.seconds))
            finally:
                postgres.end()
            print(" ".join(rows[-1]), file=sys.stderr, flush=True)
        print_table(["", "way", "req/s", "errors", "p50 ms", "p99 ms", "peak", "refused", "connects/req"], rows)
        rows = []
        dynamic = {"pm": "dynamic", "pm.start_servers": 2, "pm.min_spare_servers": 1, "pm.max_spare_servers": 4}
        for rate in (int(rate) for rate in asked.rates.split(",") if rate):
            for letter in (letter for letter in letters if letter in "ef"):
                for pm in ({}, dynamic):
                    postgres = server()
                    try:
                        rows.append(at_rate(letter, artifacts, postgres, rate, asked.seconds, pm))
                    finally:
                        postgres.end()
                    print(" ".join(rows[-1]), file=sys.stderr, flush=True)
        if rows:
            print_table(["", "way", "req/s", "errors", "p50 ms", "p99 ms", "connects"], rows)
        print("peak: connections that the server counted, sampled; refused: those it turned away, all of them.")
    finally:
        artifacts.remove()


if __name__ == "__main__":
    main()
