"""Workers and the daemon in process-id and time namespaces of their own, as in the containers of a pod.

In each container the PHP process is number 1, so no process id means anything to anybody else.
"""

import os
import time

import pytest

from servers.waiting import wait_until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="makes namespaces, so it needs root")

CONTAINER = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


def shifted(seconds):
    """A container whose monotonic clock is ahead by so much."""
    return ["unshare", "--time", "--monotonic", seconds, "--fork", "--kill-child"]


@pytest.fixture
def containers(daemon, make_php):
    """Makes a PHP per container: containers(wrapper)."""
    return lambda wrapper=CONTAINER: make_php(daemon.runtime_dir, wrapper=wrapper)


def process_number(php):
    return php.run("echo getmypid();").stdout


def test_the_processes_have_equal_ids(containers):
    """Proves that the tests below test something."""
    assert process_number(containers()) == process_number(containers()) == "1"


def test_only_the_dead_lose_their_connections(daemon, containers, counting_server):
    one, other = containers(), containers()
    options = {"max": 2, "server": counting_server.address}
    dead = one.commander(**options)
    alive = other.commander(**options)
    for worker in (dead, alive):
        worker.ask("acquire")
    waiter = other.commander(**options)
    waiter.begin("acquire")
    alive_waiter = one.commander(**options)
    alive_waiter.begin("acquire")
    watcher = other.commander(**options)
    watcher.wait_for_stats(inUse=2, waiting=2)

    dead.kill()
    assert waiter.finish() == 1, "who came first gets the dead one's connection"
    assert not alive_waiter.answered(), "the living one, number 1 like the dead one, keeps its own"
    assert counting_server.state()["peak"] <= 2
    alive.ask("release")
    assert alive_waiter.finish() == 1


def test_dead_waiters_hold_nobody_up(containers, counting_server):
    one, other = containers(), containers()
    options = {"max": 1, "server": counting_server.address}
    holder = other.commander(**options)
    holder.ask("acquire")
    watcher = other.commander(**options)
    waiters = []
    for number in range(6):
        waiters.append((one if number % 2 else other).commander(**options))
        waiters[-1].begin("acquire")
        watcher.wait_for_stats(waiting=number + 1)
    for waiter in waiters[::2]:
        waiter.kill()
    holder.ask("release")
    for waiter in waiters[1::2]:
        waiter.finish()
        waiter.ask("release")
    watcher.wait_for_stats(inUse=0, waiting=0)
    assert counting_server.state()["peak"] == 1


def test_a_container_that_is_started_again_begins_with_nothing(containers, counting_server):
    options = {"max": 2, "server": counting_server.address}
    first = containers().commander(**options)
    for _ in range(2):
        first.ask("acquire")
    first.kill()
    again = containers().commander(**options)  # number 1 again
    for _ in range(2):
        again.ask("acquireTimeout", 10_000)
    assert again.stats()["inUse"] == 2
    assert counting_server.state()["peak"] <= 2


def test_a_daemon_that_sees_nobodys_processes(make_daemon, make_php, counting_server):
    daemon = make_daemon(wrapper=CONTAINER).start()
    one = make_php(daemon.runtime_dir, wrapper=CONTAINER)
    options = {"max": 1, "server": counting_server.address}
    holder = one.commander(**options)
    waiter = make_php(daemon.runtime_dir, wrapper=CONTAINER).commander(**options)
    for _ in range(5):
        holder.ask("acquire")
        waiter.begin("acquire")
        watcher = one.commander(max=1)
        watcher.wait_for_stats(inUse=1, waiting=1)
        holder.kill()
        waiter.finish()
        assert counting_server.state()["peak"] == 1
        holder, waiter = waiter, one.commander(**options)
        holder.ask("release")


@pytest.mark.parametrize("seconds", [-1_000_000, 3_000_000])
def test_shifted_clocks_change_no_deadline(daemon, containers, counting_server, seconds):
    if seconds < 0 and time.clock_gettime(time.CLOCK_MONOTONIC) + seconds < 0:
        seconds = -int(time.clock_gettime(time.CLOCK_MONOTONIC)) + 10
    shifted_php = containers(shifted(seconds))
    here = containers([])
    options = {"max": 1, "server": counting_server.address, "idleTimeoutMs": 300}
    holder = here.commander(**options)
    holder.ask("acquire")
    waiter = shifted_php.commander(**options)
    began = time.monotonic()
    with pytest.raises(Exception, match="OperationTimeoutException"):
        waiter.ask("acquireTimeout", 300)
    assert 0.29 < time.monotonic() - began < 20
    waiter.begin("acquire")
    here.commander(**options).wait_for_stats(waiting=1)
    holder.ask("release")
    assert waiter.finish() == 1

    # Its idle timeout is neither over at once nor never.
    waiter.ask("release")
    assert waiter.stats()["idle"] == 1
    wait_until(lambda: waiter.stats()["idle"] == 0, what="its idle timeout")
    waiter.ask("acquire")
    waiter.kill()
    assert holder.ask("acquireTimeout", 10_000) == 1
    assert counting_server.state()["peak"] == 1
