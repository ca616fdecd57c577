"""A forked child's end says no goodbye on its parent's PostgreSQL connections, whatever the child did before."""

import json
import os
import signal

import pytest

from servers.postgres import Postgres
from servers.waiting import wait_until

MAX = 3
ENDINGS = ["normal", "exit", "exception", "fatal"]


@pytest.fixture(scope="module")
def postgres():
    server = Postgres(max_connections=20)
    server.execute("CREATE ROLE forker LOGIN")
    yield server
    server.end()


@pytest.fixture
def fork(php, postgres):
    """Lets a parent fork; returns what it reports once the child is gone: fork(situation, ending, touches)."""

    def run(situation, ending, touches, while_waiting=None):
        options = {"situation": situation, "ending": ending, "touches": touches}
        parent = php.worker("forks.php", {"name": "forks", "max": MAX, "dsn": postgres.dsn("forker"), **options})
        if while_waiting:
            assert parent.read_line() == "waits", parent.log_text()
            while_waiting(parent)
        line = parent.read_line()
        assert line is not None, parent.log_text()
        report = json.loads(line)
        assert not postgres.log_contains("could not receive data from client"), postgres.log_text()[-2000:]
        parent.send_line("end")
        assert parent.wait() == 0, parent.log_text()
        return report

    yield run
    wait_until(lambda: postgres.connections_of("forker") == 0, what="every connection to be closed")


def assert_untouched(report, ending, touches):
    assert report["after"] == report["before"], "not the connection that it was"
    assert report["status"] == (255 if ending in ("exception", "fatal") else 0)
    if touches:
        assert report["child"]["backend"] not in report["before"], "the child asked on its parent's connection"


@pytest.mark.parametrize("touches", [False, True], ids=["untouched", "used_by_the_child"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_while_holding(fork, ending, touches):
    report = fork("holding", ending, touches)
    assert_untouched(report, ending, touches)
    assert report["statement"] == report["before"][0], "a prepared statement was lost"
    assert report["counts"] == [1, 0]
    if touches:
        assert report["child"]["stale"]


@pytest.mark.parametrize("touches", [False, True], ids=["untouched", "used_by_the_child"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_while_idle(fork, ending, touches):
    report = fork("idle", ending, touches)
    assert_untouched(report, ending, touches)
    assert report["counts"] == [0, 1]


@pytest.mark.parametrize("ending", ENDINGS)
def test_inside_a_body(fork, ending):
    report = fork("body", ending, False)
    assert_untouched(report, ending, False)
    assert report["statement"] == report["before"][0]
    assert report["counts"] == [1, 1]


@pytest.mark.parametrize("touches", [False, True], ids=["untouched", "used_by_the_child"])
@pytest.mark.parametrize("ending", ["exit", "exception", "fatal"])
def test_while_waiting(fork, php, ending, touches):
    """In a signal handler. A child that wants a unit, too, stands behind its parent."""
    others = php.commander("forks", max=MAX)
    others.ask("acquire")
    others.ask("acquire")

    def let_go():
        for _ in range(2):
            others.ask("release")
            others.ask("evict")

    def let_it_fork(parent):
        others.wait_for_stats(waiting=1)
        os.kill(parent.pid, signal.SIGUSR1)
        if touches:
            others.wait_for_stats(waiting=2)
            let_go()
        assert parent.read_line() == "forked", parent.log_text()
        if not touches:
            let_go()

    report = fork("waiting", ending, touches, let_it_fork)
    assert_untouched(report, ending, touches)
    assert report["statement"] == report["before"][0]
    assert report["second"] not in report["before"]
    assert report["counts"] == [2, 0]
