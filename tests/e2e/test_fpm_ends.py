"""However php-fpm ends its children, their units are back, and those that come after them can take every one."""

import json
import os
import re
import signal
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.endings import Events
from servers.sapis import Site
from servers.waiting import wait_until
from servers.web import UNPRIVILEGED, PhpFpm, run_wrk

MAX = 4
CHILDREN = 3
POOL = "held"
CONFIG = f'[access]\nsocket_group = "{UNPRIVILEGED}"\nusers = ["{UNPRIVILEGED}"]\n'


class Fpm:
    """A site, requests that hold and wait there, and a watcher of their pool beside it."""

    def __init__(self, artifacts, daemon, php, ended, user, settings):
        self.events = ended(Events())
        self.go_on = f"{self.events.path}.go_on"
        self.daemon = daemon
        self.site = ended(Site(artifacts, PhpFpm(artifacts, daemon.runtime_dir, CHILDREN, {}, **settings)))
        self.watcher = php.commander(POOL, max=MAX, user=user)
        self._visitors = ThreadPoolExecutor(CHILDREN)

    @property
    def master(self):
        return self.site.fpm.process

    def path(self, units, held=False):
        query = {"name": POOL, "max": MAX, "units": units}
        if held:
            query |= {"events": self.events.path, "until": self.go_on}
        return f"/holds.php?{urllib.parse.urlencode(query)}"

    def get(self, path):
        return self.site.nginx.get(path)

    def hold(self, units):
        """Begins a request that holds so many units; returns what will be (status, body)."""
        return self._visitors.submit(self.get, self.path(units, held=True))

    def pids(self, event):
        return [int(line.split()[1]) for line in self.events.lines() if line.startswith(f"{event} ")]

    def hold_and_wait(self):
        """Three units held by one request, two by another that waits for the second: (holding, waiting, their pids)."""
        holding = self.hold(3)
        wait_until(lambda: self.pids("holds"), what="the first request to hold")
        waiting = self.hold(2)
        self.watcher.wait_for_stats(inUse=4, waiting=1)
        return holding, waiting, self.pids("begins")

    def go(self):
        with open(self.go_on, "w", encoding="utf-8"):
            pass

    def assert_whole(self, gone=()):
        """Every unit is back, and one request can take them all, whichever child serves it."""
        self.watcher.wait_for_stats(inUse=0, idle=0, size=0, waiting=0)
        for _ in range(2 * CHILDREN):
            status, body = self.get(self.path(MAX))
            assert status == 200, f"{body}\n{self.site.log_text()[-2000:]}"
            answer = json.loads(body)
            assert answer["size"] == 0
            assert answer["pid"] not in gone
        assert self.watcher.stats()["size"] == 0

    def end(self):
        self.go()
        self._visitors.shutdown()


@pytest.fixture
def make_fpm(artifacts, make_daemon, make_php, ended):
    def make(**settings):
        as_root = os.geteuid() == 0
        daemon = make_daemon(config=CONFIG if as_root else "").start()
        php = make_php(daemon.runtime_dir)
        return ended(Fpm(artifacts, daemon, php, ended, UNPRIVILEGED if as_root else None, settings))

    return make


def test_children_are_replaced_after_so_many_requests(make_fpm):
    fpm = make_fpm(pool_settings={"pm.max_requests": 3})
    seen = set()
    for _ in range(8 * CHILDREN):
        status, body = fpm.get(fpm.path(MAX))
        answer = json.loads(body)
        assert (status, answer["size"]) == (200, 0)
        seen.add(answer["pid"])
    assert len(seen) > CHILDREN, "nobody was replaced"

    load = run_wrk(fpm.site.url(fpm.path(2)), connections=2 * CHILDREN, seconds=1)

    assert load.failed == 0, f"{load.report}\n{fpm.site.log_text()[-2000:]}"
    fpm.assert_whole()
    assert not re.search(r"worker buried .*slots=[1-9]", fpm.daemon.log_text()), "not given back, but found"


def test_a_graceful_reload_lets_requests_finish(make_fpm):
    fpm = make_fpm(global_settings={"process_control_timeout": "30s"})
    holding, waiting, pids = fpm.hold_and_wait()

    fpm.master.send_signal(signal.SIGUSR2)
    wait_until(lambda: "Reloading in progress" in fpm.site.log_text(), what="the reload to begin")
    assert fpm.watcher.stats()["inUse"] == 4
    fpm.go()

    assert [holding.result()[0], waiting.result()[0]] == [200, 200]
    wait_until(lambda: fpm.site.log_text().count("ready to handle connections") == 2, what="the new children")
    fpm.assert_whole(gone=pids)


def test_a_reload_that_does_not_wait(make_fpm):
    """Without process_control_timeout the old children are ended where they are."""
    fpm = make_fpm()
    holding, waiting, pids = fpm.hold_and_wait()

    fpm.master.send_signal(signal.SIGUSR2)

    assert [holding.result()[0], waiting.result()[0]] == [502, 502]
    wait_until(lambda: fpm.site.log_text().count("ready to handle connections") == 2, what="the new children")
    fpm.assert_whole(gone=pids)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGQUIT], ids=["SIGTERM", "SIGQUIT"])
def test_the_master_is_ended(make_fpm, number):
    fpm = make_fpm()
    holding, waiting, _ = fpm.hold_and_wait()

    fpm.master.send_signal(number)
    fpm.master.wait()

    assert [holding.result()[0], waiting.result()[0]] == [502, 502]
    fpm.watcher.wait_for_stats(inUse=0, idle=0, size=0, waiting=0)
    assert [fpm.watcher.ask("tryAcquire") for _ in range(MAX + 1)] == [True] * MAX + [False]


def test_a_child_is_ended_while_it_holds(make_fpm):
    fpm = make_fpm()
    holding, waiting, pids = fpm.hold_and_wait()

    os.kill(pids[0], signal.SIGTERM)

    assert holding.result()[0] == 502
    wait_until(lambda: pids[1] in fpm.pids("holds"), what="the waiting request to be served")
    fpm.watcher.wait_for_stats(inUse=2, waiting=0)
    fpm.go()
    assert waiting.result()[0] == 200
    fpm.assert_whole(gone=pids[:1])


def test_a_child_is_ended_while_it_waits(make_fpm):
    fpm = make_fpm()
    holding, waiting, pids = fpm.hold_and_wait()

    os.kill(pids[1], signal.SIGTERM)

    assert waiting.result()[0] == 502
    fpm.watcher.wait_for_stats(inUse=3, waiting=0)  # with the one unit that it had while it waited for another
    fpm.go()
    assert holding.result()[0] == 200
    fpm.assert_whole(gone=pids[1:])


def test_request_terminate_timeout(make_fpm):
    """Ends the one that holds and the one that waits; a third one is served then."""
    fpm = make_fpm(pool_settings={"request_terminate_timeout": "1s"})
    holding, waiting, pids = fpm.hold_and_wait()

    assert [holding.result()[0], waiting.result()[0]] == [502, 502]

    assert fpm.site.log_text().count("execution timed out") >= 2
    fpm.assert_whole(gone=pids)
