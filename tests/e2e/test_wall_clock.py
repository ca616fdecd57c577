"""Nothing is decided by the wall clock: daemon and workers run with one that jumps by years at every look."""

import time

import pytest

from servers.jumping_clock import build_jumping_clock
from servers.php import PhpError
from servers.waiting import wait_until


@pytest.fixture
def clock(artifacts):
    return build_jumping_clock(artifacts.directory)


@pytest.fixture
def jumping_daemon(make_daemon, clock):
    return make_daemon(environment={"LD_PRELOAD": clock}).start()


@pytest.fixture
def jumping_php(jumping_daemon, make_php, clock):
    return make_php(jumping_daemon.runtime_dir, wrapper=["env", f"LD_PRELOAD={clock}"])


def test_the_clock_of_these_tests_jumps(jumping_daemon, jumping_php):
    """In PHP, and in the daemon: the years at the beginning of the log's lines."""
    done = jumping_php.run("$a = time(); $b = time(); $c = time(); echo max($a, $b, $c) - min($a, $b, $c);")
    assert int(done.stdout) > 365 * 86400, done
    jumping_php.commander().ask("use", 1)
    years = {line[:4] for line in jumping_daemon.log_text().splitlines()}
    assert len(years) > 1, jumping_daemon.log_text()


def test_a_wait_ends_at_its_deadline_and_not_before(jumping_php):
    holder, waiter = jumping_php.commander(max=1), jumping_php.commander(max=1)
    holder.ask("acquire")
    began = time.monotonic()
    with pytest.raises(PhpError, match="OperationTimeoutException"):
        waiter.ask("acquireTimeout", 700)
    assert time.monotonic() - began >= 0.7


def test_a_wait_is_served(jumping_php):
    holder, waiter = jumping_php.commander(max=1), jumping_php.commander(max=1)
    holder.ask("acquire")
    waiter.begin("acquireTimeout", 25_000)
    holder.wait_for_stats(waiting=1)
    holder.ask("release")
    holder.begin("evict")
    assert waiter.finish() == 1
    holder.finish()


def test_idle_resources_go_after_their_time_and_not_before(jumping_php):
    short = jumping_php.commander("short", max=2, idleTimeoutMs=300)
    long = jumping_php.commander("long", max=2, idleTimeoutMs=600_000)
    assert (short.ask("use", 1), long.ask("use", 1)) == (1, 1)
    short.wait_for_stats(idle=0, size=0)
    assert long.stats()["idle"] == 1


def test_the_dead_are_buried_and_the_living_are_not(jumping_daemon, jumping_php):
    holder, other = jumping_php.commander(max=2), jumping_php.commander(max=2)
    holder.ask("acquire")
    other.ask("acquire")
    holder.kill()
    jumping_daemon.wait_for_log("worker buried")
    other.wait_for_stats(inUse=1)
    assert jumping_daemon.log_text().count("worker buried") == 1


def test_unattached_pools_linger_and_then_go(make_daemon, make_php, clock):
    daemon = make_daemon(config="[pools]\nlinger_s = 1\n", environment={"LD_PRELOAD": clock}).start()
    php = make_php(daemon.runtime_dir, wrapper=["env", f"LD_PRELOAD={clock}"])
    worker = php.commander("gone")
    worker.ask("use", 1)
    daemon_log_before = daemon.log_text()
    assert "pool removed" not in daemon_log_before, "somebody is attached"
    worker.process.end()
    wait_until(lambda: "pool removed" in daemon.log_text(), what="the pool to be removed")


def test_an_adopted_segment_goes_on(jumping_daemon, jumping_php):
    """The times in it are of the clock that does not jump."""
    worker = jumping_php.commander("kept", max=1, idleTimeoutMs=600_000)
    worker.ask("use", 1)
    assert jumping_daemon.stop() == 0
    jumping_daemon.restart()
    assert worker.ask("use", 1) == 2
    assert worker.ask("mints") == 1


def test_a_stop_ends_though_a_library_sleeps_for_years(artifacts, make_daemon):
    """gRPC's threads that serve callbacks: they wait by the wall clock, which goes back here after each look ahead."""
    clock = build_jumping_clock(artifacts.directory, years=(0, 10, 10, 0))
    daemon = make_daemon(config="[limits]\nshutdown_deadline_ms = 200\n", environment={"LD_PRELOAD": clock}).start()
    assert daemon.stop() == 0
    assert "left_behind" in daemon.log_text(), daemon.log_text()
    daemon.restart()
    assert daemon.http_get("/readyz")[0] == 200
