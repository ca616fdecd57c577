"""What an operator changes, seen by the workers that it happens to."""

import threading
import time

import pytest

from servers.php import PhpError
from servers.waiting import wait_until


def pool_of(ctl, name="db"):
    return ctl.json("stats", name)


def test_evict_is_done_by_the_owners_when_they_next_run(ctl, php):
    worker = php.commander("db", max=3)
    for _ in range(3):
        worker.ask("acquire")
    worker.ask("release")
    worker.ask("release")
    assert ctl.json("evict", "db") == {"pools": 1, "flagged": 2, "unfinished": []}
    assert ctl.json("evict", "db")["flagged"] == 0, "asked for already"
    assert pool_of(ctl)["idle"] == 2 and pool_of(ctl)["flagged"] == 2
    worker.ask("tick")
    assert (pool_of(ctl)["idle"], pool_of(ctl)["in_use"]) == (0, 1)
    assert pool_of(ctl)["closed"]["evict"] == 2


def test_evict_waits_for_the_owners(ctl, php):
    worker = php.commander("db")
    worker.ask("acquire")
    worker.ask("release")
    waiting = ctl.begin("--json", "evict", "db", "--wait", "--timeout", "30s")
    wait_until(lambda: pool_of(ctl)["flagged"] == 1)
    worker.ask("tick")
    assert waiting.wait() == 0
    assert pool_of(ctl)["size"] == 0


def test_evict_names_the_owners_that_do_not_run(ctl, php):
    worker = php.commander("db")
    worker.ask("acquire")
    worker.ask("release")
    result = ctl.refused("evict", "--all", "--wait", "--timeout", "600ms", parts=["1 slot of 1 worker", "--timeout"])
    assert f"{worker.pid}/1" in result.stdout


def test_resize_up_serves_who_waits(ctl, php):
    holder, waiter = php.commander("db", max=1), php.commander("db", max=1)
    holder.ask("acquire")
    waiter.begin("acquire")
    wait_until(lambda: pool_of(ctl)["waiting"] == 1)
    answer = ctl.json("resize", "db", 2)
    assert (answer["previous_max_size"], answer["pool"]["max_size"]) == (1, 2)
    assert waiter.finish() == 1
    assert holder.stats()["maxSize"] == 2
    assert ctl.json("resize", "db", "--unset")["pool"]["max_size"] == 1


def test_shrinking_interrupts_no_holder(ctl, php):
    worker = php.commander("db", max=3)
    for _ in range(3):
        worker.ask("acquire")
    answer = ctl.json("resize", "db", 1)
    assert (answer["above"], answer["pool"]["in_use"]) == (2, 3)
    assert "above its cap" in ctl.done("list")
    for _ in range(3):
        worker.ask("release")
    worker.ask("tick")
    assert pool_of(ctl)["size"] <= 1
    assert ctl.done("resize", "db", "--unset").startswith('pool "db"')


def test_an_operators_cap_stands_above_later_workers(ctl, php):
    php.commander("db", max=2)
    ctl.done("resize", "db", 5)
    php.commander("db", max=3)
    assert pool_of(ctl)["max_size"] == 5 and pool_of(ctl)["requested_max_size"] == 3
    assert "5*" in ctl.done("list")


def test_pause_makes_acquires_wait_and_resume_serves_them(ctl, php):
    worker = php.commander("db", max=2)
    assert ctl.json("pause", "db")["pool"]["gate"] == "wait"
    assert worker.ask("tryAcquire") is False
    worker.begin("acquire")
    wait_until(lambda: pool_of(ctl)["waiting"] == 1)
    assert not worker.answered()
    assert ctl.json("resume", "db") == {"pools": 1, "resumed": 1}
    assert worker.finish() == 1
    assert ctl.json("resume", "db") == {"pools": 1, "resumed": 0}


def test_pause_that_fails_refuses_acquires_and_those_that_wait(ctl, php):
    holder, waiter = php.commander("db", max=1), php.commander("db", max=1)
    holder.ask("acquire")
    waiter.begin("acquire")
    wait_until(lambda: pool_of(ctl)["waiting"] == 1)
    assert ctl.json("pause", "db", "--fail")["pool"]["gate"] == "fail"
    with pytest.raises(PhpError) as refusal:
        waiter.finish()
    assert refusal.value.php_class == "OxPHP\\Shared\\ClosedException"
    with pytest.raises(PhpError):
        holder.ask("acquire")
    assert holder.ask("release") == 0, "holders go on"
    ctl.done("resume", "db")
    assert holder.ask("acquire") == 1
    assert pool_of(ctl)["counters"]["acquire_closed"] == 2


def test_a_pause_is_over_by_itself(ctl, php):
    worker = php.commander("db")
    answer = ctl.json("pause", "db", "--for", "1s")
    assert 0 < answer["pool"]["gate_left_ms"] <= 1000
    assert worker.ask("acquire") == 1, "it waited for that"
    assert pool_of(ctl)["gate"] == "open"


def test_pause_waits_until_nothing_is_in_use(ctl, php):
    worker = php.commander("db")
    worker.ask("acquire")
    ctl.refused("pause", "db", "--wait", "--timeout", "600ms", parts=["1 slot of 1 worker"])
    waiting = ctl.begin("--json", "pause", "db", "--wait")
    wait_until(lambda: pool_of(ctl)["gate"] == "wait")
    worker.ask("release")
    assert waiting.wait() == 0


def test_a_resume_ends_a_pause_that_waits(daemon, ctl, php):
    worker = php.commander("db")
    worker.ask("acquire")
    waiting = ctl.begin("--json", "pause", "db", "--wait")
    wait_until(lambda: pool_of(ctl)["gate"] == "wait")
    ctl.done("resume", "--all")
    assert '"code":"ABORTED"' in waiting.read_line()
    assert waiting.wait() == 1
    assert daemon.process.running() and pool_of(ctl)["gate"] == "open"


def test_drain_closes_everything_until_resume(ctl, php):
    worker = php.commander("db", max=2)
    worker.ask("acquire")
    worker.ask("acquire")
    worker.ask("release")
    waiting = ctl.begin("--json", "drain", "db", "--wait")
    wait_until(lambda: pool_of(ctl)["gate"] == "drained")
    with pytest.raises(PhpError) as refusal:
        worker.ask("acquire")
    assert refusal.value.php_class == "OxPHP\\Shared\\ClosedException"
    worker.ask("release")
    worker.ask("tick")
    assert waiting.wait() == 0
    assert pool_of(ctl)["size"] == 0 and pool_of(ctl)["closed"]["drain"] == 2
    ctl.done("resume", "--all")
    assert worker.ask("acquire") == 1


def test_drain_all_counts_pools(ctl, php):
    php.commander("a")
    php.commander("b")
    assert ctl.json("drain", "--all")["pools"] == 2
    assert {pool["gate"] for pool in ctl.json("list")["pools"]} == {"drained"}
    assert ctl.json("resume", "--all") == {"pools": 2, "resumed": 2}


def test_two_operators_at_once_do_not_mix(ctl, php):
    """Both resize and pause the same pool as fast as they can: what stands is whole, and one of theirs."""
    php.commander("db", max=1)
    failures = []

    def operate(size, mode):
        try:
            for _ in range(10):
                ctl.done("resize", "db", size)
                ctl.done("pause", "db", *mode)
        except AssertionError as failure:
            failures.append(failure)

    operators = [threading.Thread(target=operate, args=(3, [])), threading.Thread(target=operate, args=(5, ["--fail"]))]
    for operator in operators:
        operator.start()
    for operator in operators:
        operator.join()
    assert not failures, failures
    pool = pool_of(ctl)
    assert pool["max_size"] == pool["operator_max_size"] and pool["max_size"] in (3, 5)
    assert pool["gate"] in ("wait", "fail")


def test_changes_are_logged_with_what_was_changed(daemon, ctl, php):
    php.commander('odd "name"')
    ctl.done("resize", 'odd "name"', 7)
    log = daemon.wait_for_log("pool resized by operator")
    assert 'pool="odd \\"name\\""' in log and "max_size=7" in log


def test_workers_are_not_disturbed_by_watchers(daemon, ctl, php):
    worker = php.commander("db")
    watchers = [ctl.begin("--json", "watch", "--interval", "100ms") for _ in range(10)]
    for watcher in watchers:
        assert watcher.read_line()
    began = time.monotonic()
    worker.ask("use", 10_000)
    assert time.monotonic() - began < 20
    assert daemon.process.running()
