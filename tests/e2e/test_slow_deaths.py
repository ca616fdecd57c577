"""Workers whose death takes a while: until the kernel has closed their files they are alive, and then they are dead."""

import os
import signal
import time

import pytest

from servers.matrix import note_figure
from servers.waiting import wait_until


def mib_for_tests(most, part):
    """At most so many MiB, and at most such a part of what the machine has to spare."""
    with open("/proc/meminfo", encoding="ascii") as meminfo:
        available = next(int(line.split()[1]) for line in meminfo if line.startswith("MemAvailable"))
    return min(most, available // 1024 // part)


def dumps_core(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as status:
            return "CoreDumping:\t1\n" in status.read()
    except OSError:
        return False


def holder_and_waiter(holder_php, php, server, mib, **options):
    holder = holder_php.commander(
        max=1, server=server.address, ballastMib=mib, ini={"memory_limit": -1}, **options
    )
    holder.ask("acquire")
    waiter = php.commander(max=1, server=server.address)
    waiter.begin("acquire")
    holder.wait_for_stats(inUse=1, waiting=1)
    return holder, waiter


@pytest.mark.slow
def test_a_core_dump_in_progress_is_no_death(daemon, php, make_php, make_directory, counting_server):
    mib = mib_for_tests(2048, 8)
    directory = make_directory()
    dumping_php = make_php(daemon.runtime_dir, wrapper=["env", "-C", directory, "prlimit", "--core=unlimited", "--"])
    holder, waiter = holder_and_waiter(dumping_php, php, counting_server, mib)

    began = time.monotonic()
    holder.process.send_signal(signal.SIGABRT)
    seen = 0
    while holder.process.running():
        given_away = waiter.answered()
        others = counting_server.state()["accepted"]
        if dumps_core(holder.pid):  # it did then, too
            seen += 1
            assert not given_away, "its connection was given away while its core was dumped"
            assert others == 1
        time.sleep(0.005)
    took_ms = (time.monotonic() - began) * 1000

    if seen == 0:
        pytest.skip("this machine dumps no core, or at once")
    note_figure(f"a core dump of {mib} MiB took {took_ms:.0f} ms; seen {seen} times in the middle of it")
    assert waiter.finish() == 1
    assert counting_server.state()["peak"] == 1
    daemon.wait_for_log(f"pid={holder.pid} ")
    waiter.ask("release")
    waiter.wait_for_stats(inUse=0, waiting=0)


@pytest.mark.slow
def test_a_large_process_dies_slowly(php, counting_server):
    """The kernel takes its memory back first, and closes its files then."""
    mib = mib_for_tests(4096, 4)
    for turn in range(3):
        holder, waiter = holder_and_waiter(php, php, counting_server, mib, openFiles=200)
        began = time.monotonic()
        os.kill(holder.pid, signal.SIGKILL)
        waiter.finish()
        took_ms = (time.monotonic() - began) * 1000
        assert counting_server.state()["peak"] == 1
        wait_until(lambda holder=holder: not holder.process.running(), what="its end")
        if turn == 0:
            note_figure(f"a worker of {mib} MiB was killed; its connection was another one's after {took_ms:.0f} ms")
        waiter.ask("release")
        waiter.ask("evict")
        waiter.wait_for_stats(size=0)
        waiter.kill()
