"""One value, one holder, over processes: nothing is lost, a killed holder hurts nobody but the mutex, and no ring hangs."""

import json
import os
import signal
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.endings import Events
from servers.php import Commander, PhpError
from servers.sapis import Site
from servers.waiting import wait_until
from servers.web import PhpFpm

CHILDREN = 4
CORRUPTED = "OxPHP\\Shared\\CorruptedMutexException"
DEADLOCK = "OxPHP\\Shared\\DeadlockException"


@pytest.fixture
def make_worker(php):
    return lambda **options: Commander(php.worker("mutex_commander.php", options))


def sleeps(worker):
    return worker.process.state() == "S"


def test_increments_of_four_processes_sum_up(make_worker):
    workers = [make_worker() for _ in range(4)]
    for worker in workers:
        worker.begin("add", "counter", 100_000)
    lasts = [worker.finish() for worker in workers]
    assert max(lasts) == 400_000
    assert workers[0].ask("value", "counter") == 400_000


def test_sixteen_processes_that_race_make_one_mutex(make_worker):
    workers = [make_worker() for _ in range(16)]
    for turn in range(10):
        before = workers[0].ask("count")
        for worker in workers:
            worker.begin("get", f"raced {turn}")
        answers = [tuple(worker.finish()) for worker in workers]
        assert len(set(answers)) == 1, answers
        assert answers[0][1] in [worker.pid for worker in workers]
        assert workers[0].ask("count") == before + 1, "what the losers made is still there"


def test_a_killed_holder_corrupts_and_recover_goes_on(make_worker):
    for on, expected in [("corrupt", CORRUPTED), ("recover", 3)]:
        holder, waiter, other = [make_worker(onOwnerDeath=on) for _ in range(3)]
        assert other.ask("add", on, 2) == 2
        assert holder.ask("hold", on) == "holds"
        waiter.begin("add", on)
        wait_until(lambda: sleeps(waiter), what="the wait")
        holder.kill()
        for worker in (waiter, other):
            try:
                answer = worker.finish() if worker is waiter else worker.ask("value", on)
            except PhpError as error:
                answer = error.php_class
            assert answer == expected
        assert other.ask("replace", on) is True
        assert other.ask("add", on) == 1


def test_a_killed_waiter_is_not_waited_for(make_worker):
    holder, waiter, next_one = [make_worker() for _ in range(3)]
    assert holder.ask("hold", "queue") == "holds"
    for worker in (waiter, next_one):
        worker.begin("add", "queue")
        wait_until(lambda one=worker: sleeps(one), what="the wait")
    waiter.kill()
    holder.begin("release")
    assert holder.finish() == "released"
    assert next_one.finish() == 1


def test_of_two_processes_that_wait_for_each_other_one_is_told(make_worker):
    one, two = make_worker(), make_worker()
    assert one.ask("hold", "a") == "holds"
    assert two.ask("hold", "b") == "holds"
    one.begin("add", "b")
    wait_until(lambda: sleeps(one), what="the first wait")
    two.begin("add", "a")
    told = []
    wait_until(lambda: one.answered() or two.answered(), what="one of them to be told")
    for worker in (one, two) if one.answered() else (two, one):
        try:
            assert worker.finish() == 1
        except PhpError as error:
            told.append(error.php_class)
            assert "'a'" in error.php_message and "'b'" in error.php_message, "the ring is named"
        worker.begin("release")
        assert worker.finish() == "released"
    assert told == [DEADLOCK]


def test_a_ring_of_a_pool_and_a_mutex_is_found(make_worker):
    one, two = make_worker(pool="units"), make_worker(pool="units")
    assert one.ask("use") == "holds"
    assert two.ask("hold", "m") == "holds"
    one.begin("add", "m")
    wait_until(lambda: sleeps(one), what="the first wait")
    two.begin("use")
    wait_until(lambda: one.answered() or two.answered(), what="one of them to be told")
    with pytest.raises(PhpError, match="DeadlockException"):
        (one if one.answered() else two).finish()


@pytest.fixture
def fpm(artifacts, daemon_for_www, ended):
    return ended(Site(artifacts, PhpFpm(artifacts, daemon_for_www.runtime_dir, CHILDREN, {})))


@pytest.mark.parametrize("on", ["corrupt", "recover"])
def test_a_killed_child_of_php_fpm(fpm, ended, on):
    """Whether it corrupts or not: those who wait are answered, and so is everybody after them."""
    events = ended(Events())

    def visit(**more):
        query = urllib.parse.urlencode({"name": "site", "on": on, "events": events.path, **more})
        status, body = fpm.nginx.get(f"/mutex.php?{query}")
        return status, json.loads(body)["answer"] if status == 200 else None

    def pids(event):
        return [int(line.split()[1]) for line in events.lines() if line.startswith(f"{event} ")]

    assert visit() == (200, 1)
    with ThreadPoolExecutor(CHILDREN) as visitors:
        holding = visitors.submit(visit, for_ever=1)
        wait_until(lambda: len(pids("holds")) == 2, what="the holder")
        waiting = [visitors.submit(visit) for _ in range(CHILDREN - 1)]
        wait_until(lambda: len(pids("begins")) == 2 + len(waiting), what="the waiters")
        os.kill(pids("holds")[1], signal.SIGKILL)
        assert holding.result()[0] == 502
        answers = sorted(visitor.result() for visitor in waiting)
    after = [visit() for _ in range(2 * CHILDREN)]
    if on == "corrupt":
        assert {*answers, *after} == {(200, CORRUPTED)}
    else:
        assert answers + after == [(200, 2 + i) for i in range(len(answers) + len(after))]
