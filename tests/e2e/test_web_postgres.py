"""The main job on real servers: nginx, php-fpm with 24 children, and a PostgreSQL that takes 12 connections."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.postgres import Postgres
from servers.process import Process
from servers.artifacts import php_command
from servers.waiting import wait_until
from servers.web import UNPRIVILEGED, Nginx, PhpFpm, run_wrk

CHILDREN = 24
MAX_CONNECTIONS = 12
CAP = 8  # also in php/www/page.php, and the role's own limit
VISITORS = 32

CONFIG = f"""
[access]
socket_group = "{UNPRIVILEGED}"
users = ["{UNPRIVILEGED}"]
"""


@pytest.fixture
def postgres(ended):
    server = ended(Postgres(max_connections=MAX_CONNECTIONS))
    server.execute(f"CREATE ROLE visitor LOGIN CONNECTION LIMIT {CAP}")
    return server


@pytest.fixture
def site(artifacts, make_daemon, postgres, ended):
    """nginx, with php-fpm behind it. As root, the children run as www-data, which the configuration lets in."""
    daemon = make_daemon(config=CONFIG if os.geteuid() == 0 else "").start()
    fpm = ended(PhpFpm(artifacts, daemon.runtime_dir, CHILDREN, {"DSN": postgres.dsn("visitor")}))
    nginx = ended(Nginx(artifacts.script("www"), fpm))
    nginx.fpm = fpm
    nginx.daemon = daemon
    return nginx


class Sampler:
    """Takes PostgreSQL's own count of a role's connections, every few milliseconds."""

    def __init__(self, artifacts, postgres, role):
        argv = php_command(artifacts, None, oxpool=False)
        superuser = postgres.dsn(Postgres.SUPERUSER)
        log_path = os.path.join(artifacts.directory, "sampler.log")
        self.process = Process([*argv, artifacts.script("pg_sampler.php"), superuser, role], log_path)
        wait_until(self.counts, what="the first count")

    def counts(self):
        return [int(line) for line in self.process.log_text().split("\n")[:-1]]

    def end(self):
        self.process.end()
        os.remove(self.process.log_path)


def test_no_request_fails_and_postgres_never_counts_more_than_the_cap(artifacts, site, postgres, ended):
    status, body = site.get("/page.php")
    assert (status, body) == (200, "42"), body
    sampler = ended(Sampler(artifacts, postgres, "visitor"))

    load = run_wrk(site.url("/page.php"), VISITORS, seconds=10)

    counts = sampler.counts()
    evidence = f"{load.report}\n{site.fpm.log_text()[-3000:]}\n{postgres.log_text()[-3000:]}"
    assert load.failed == 0, evidence
    assert load.requests > CHILDREN, evidence
    assert not postgres.log_contains("too many connections"), evidence
    assert not postgres.log_contains("too many clients"), evidence
    assert len(counts) > 100, "too few samples to say anything"
    assert max(counts) <= CAP, f"PostgreSQL counted {max(counts)} at once"
    assert max(counts) >= CAP // 2, f"the load never came near the cap: {max(counts)}"


def test_no_request_fails_while_the_daemon_is_killed_and_restarted(site, postgres):
    run_wrk(site.url("/page.php"), VISITORS, seconds=2)  # by then every child is attached
    with ThreadPoolExecutor(1) as visitors:
        load = visitors.submit(run_wrk, site.url("/page.php"), VISITORS, 5)
        site.daemon.kill()
        time.sleep(2)  # without a daemon for a while
        assert not load.done()
        site.daemon.restart()
        load = load.result()
    evidence = f"{load.report}\n{site.fpm.log_text()[-3000:]}\n{postgres.log_text()[-3000:]}"
    assert load.failed == 0, evidence
    assert not postgres.log_contains("too many connections"), evidence


def test_the_same_page_without_the_pool_fails(site, postgres):
    """Proves that the test above can fail."""
    load = run_wrk(site.url("/page.php?direct=1"), VISITORS, seconds=3)
    assert load.refused > 0, load.report
    assert postgres.log_contains("too many")
