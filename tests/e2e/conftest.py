"""Fixtures of the black-box tests: each gives a test real programs and ends them afterwards, whatever the test did."""

import os
import signal
import tempfile

import pytest

from servers.artifacts import Artifacts
from servers.counting_server import CountingServer
from servers.mariadb import Mariadb
from servers.matrix import all_tables
from servers.oxpoolctl import Oxpoolctl
from servers.oxpoold import Oxpoold
from servers.persistent import Backend, Kept, PersistentSite
from servers.php import Php
from servers.postgres import Postgres
from servers.process import adopt_orphans, command_line, living_children
from servers.recipes import write_code_blocks
from servers.redis import Redis
from servers.waiting import wait_until
from servers.web import UNPRIVILEGED

TEST_WATCHDOG_SECONDS = 300


def end_in_order(*_):
    """SIGTERM: the fixtures still end what they started; a second signal must not disturb them."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pytest.exit("ended by SIGTERM", returncode=3)


def pytest_configure():
    os.umask(0o022)
    adopt_orphans()
    signal.signal(signal.SIGTERM, end_in_order)


def pytest_terminal_summary(terminalreporter):
    """Prints the tables, and writes them to the file that OXPOOL_TABLES names."""
    tables = all_tables()
    if not tables:
        return
    terminalreporter.section("tables")
    terminalreporter.write_line(tables)
    path = os.environ.get("OXPOOL_TABLES")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(tables + "\n")


@pytest.fixture(autouse=True)
def watchdog():
    """No test hangs for ever, and none leaves a program running."""

    def expired(*_):
        raise AssertionError(f"the test took longer than its watchdog of {TEST_WATCHDOG_SECONDS} s")

    before = set(living_children())
    previous = signal.signal(signal.SIGALRM, expired)
    signal.alarm(TEST_WATCHDOG_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)
    # One without a command line is on its way out of the kernel already.
    wait_until(lambda: all(map(command_line, set(living_children()) - before)), what="the killed to be gone")
    left = {pid: command_line(pid) for pid in set(living_children()) - before}
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"left running: {left}"


@pytest.fixture(scope="session")
def artifacts():
    made = Artifacts()
    yield made
    made.remove()


@pytest.fixture
def ended():
    """Registers anything that has an end() for the end of the test, and returns it; last in, first out."""
    things = []

    def register(thing):
        things.append(thing)
        return thing

    yield register
    failures = []
    for thing in reversed(things):
        try:
            thing.end()
        except Exception as failure:  # the others must be ended all the same
            failures.append(failure)
    assert not failures, failures


@pytest.fixture
def make_daemon(artifacts, ended):
    """Makes an Oxpoold that is not started yet: make_daemon(config="…", runtime_dir=…, user=…)."""
    return lambda **options: ended(Oxpoold(artifacts, **options))


@pytest.fixture
def daemon(make_daemon):
    """A daemon with the default configuration, ready."""
    return make_daemon().start()


@pytest.fixture
def make_php(artifacts, ended):
    """Makes a Php for any runtime directory: make_php(runtime_dir)."""
    return lambda runtime_dir, **options: ended(Php(artifacts, runtime_dir, **options))


@pytest.fixture
def php(daemon, make_php):
    """PHP that reaches the default daemon."""
    return make_php(daemon.runtime_dir)


@pytest.fixture
def make_ctl(artifacts, ended):
    """Makes an Oxpoolctl: make_ctl(runtime_dir, options=[…], user=…)."""
    return lambda runtime_dir, **options: ended(Oxpoolctl(artifacts, runtime_dir, **options))


@pytest.fixture
def ctl(daemon, make_ctl):
    """oxpoolctl for the default daemon."""
    return make_ctl(daemon.runtime_dir)


@pytest.fixture
def make_counting_server(ended):
    return lambda **options: ended(CountingServer(**options))


@pytest.fixture
def counting_server(make_counting_server):
    return make_counting_server()


class TemporaryDirectory:
    def __init__(self, parent, mode):
        self._directory = tempfile.TemporaryDirectory(prefix="oxpool-dir-", dir=parent)
        self.path = self._directory.name
        os.chmod(self.path, mode)

    def end(self):
        self._directory.cleanup()


@pytest.fixture
def make_directory(ended):
    """Makes an empty directory, by default on tmpfs and for everybody to enter; it is removed after the test."""
    return lambda parent="/dev/shm", mode=0o755: ended(TemporaryDirectory(parent, mode)).path


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="changes users or mounts, so it needs root")


@pytest.fixture(scope="module")
def persistent_servers():
    """MariaDB, PostgreSQL (role `visitor`) and Redis, by class, for all tests of a file."""
    started = []
    try:
        for start in (Mariadb, lambda: Postgres(max_connections=20), Redis):
            started.append(start())
        made = {type(server): server for server in started}
        made[Postgres].execute("CREATE ROLE visitor LOGIN")
        yield made
    finally:
        for server in started:
            server.end()


@pytest.fixture(scope="module")
def postgres_for_visitors():
    """PostgreSQL with the role `visitor`, for all tests of a file."""
    server = Postgres(max_connections=30)
    try:
        server.execute("CREATE ROLE visitor LOGIN")
        yield server
    finally:
        server.end()


@pytest.fixture
def daemon_for_www(make_daemon):
    """A daemon that lets the users in that php-fpm's children run as."""
    as_root = os.geteuid() == 0
    return make_daemon(
        config=f'[access]\nsocket_group = "{UNPRIVILEGED}"\nusers = ["{UNPRIVILEGED}"]\n' if as_root else ""
    ).start()


@pytest.fixture
def make_kept(artifacts, daemon_for_www, persistent_servers, make_ctl, ended, make_directory):
    """Makes a Kept: make_kept(client, children=…, ini={…}); backend: the client whose server another factory uses."""

    def make(client, backend=None, **options):
        directory = make_directory()
        recipes = [
            write_code_blocks(directory)[1],
            write_code_blocks(directory, "Persistent slots", "persistent_")[1],
        ]
        backend = Backend(backend or client, persistent_servers)
        if backend.server:
            wait_until(lambda: backend.connections() == 0, what="the connections of earlier tests to be gone")
        backend.client = client
        site = ended(PersistentSite(artifacts, daemon_for_www, **options))
        ctl = make_ctl(daemon_for_www.runtime_dir)
        return Kept(site, backend, recipes, ctl)

    return make
