"""A daemon that hardly gets any processor time makes no worker stall, while it has dead workers to bury."""

import json
import os
import socket
import threading
import time

import pytest

from servers.fake_daemon import ABI_MAJOR, hello, read_reply
from servers.matrix import note_figure
from servers.throttle import Quota, Stops
from servers.waiting import WATCHDOG_SECONDS

RUN_MS = 5
SECONDS = 8
HOT_WORKERS = 2
WAITING_WORKERS = 6
UNITS = 2
# Other programs want this machine's processors, too, and then everything takes longer, with and without the quota.
LONGEST_MS = 1000
TIMES_THE_REFERENCE = 10


class ShortLives:
    """Keeps the daemon busy: processes that attach, and end, one after the other. Their tokens are closed unseen."""

    def __init__(self, daemon):
        self._path = daemon.client_socket()
        self._done = False
        self.lived = 0
        self._thread = threading.Thread(target=self._go_on)
        self._thread.start()

    def _go_on(self):
        while not self._done:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(WATCHDOG_SECONDS)
                client.connect(self._path)
                client.sendall(hello(ABI_MAJOR))
                read_reply(client)
                self.lived += 1

    def end(self):
        self._done = True
        self._thread.join()


class Work:
    """Some workers that have a unit each, and some that queue for two units, of which killed workers take their part."""

    def __init__(self, daemon, php):
        self.daemon = daemon
        self.php = php
        self.killed = 0

    def worker(self, name, units, hold_us, pause_us):
        worker = self.php.worker(
            "meter.php",
            {"name": name, "max": units, "holdUs": hold_us, "pauseUs": pause_us},
            ini={"oxpool.connect_timeout_ms": 30_000},  # a newcomer does wait for the daemon
        )
        assert worker.read_line() == "ready", worker.log_text()
        worker.send_line("go")
        return worker

    def kill_one(self):
        """One that has a unit, most likely, or waits for one."""
        victim = self.worker("queue", UNITS, 1_000_000, 0)
        victim.kill()
        victim.end()
        self.killed += 1

    def run(self, seconds):
        """The reports of those who own a unit each, and of those who queue."""
        hot = [self.worker("hot", HOT_WORKERS, 0, 100) for _ in range(HOT_WORKERS)]
        waiting = [self.worker("queue", UNITS, 500, 0) for _ in range(WAITING_WORKERS)]
        end = time.monotonic() + seconds
        short_lives = ShortLives(self.daemon)
        try:
            while time.monotonic() < end:
                self.kill_one()
        finally:
            short_lives.end()
        self.killed += short_lives.lived
        for worker in hot + waiting:
            worker.send_line("enough")
        reports = [json.loads(worker.read_line(90) or worker.log_text()) for worker in hot + waiting]
        assert [report["errors"] for report in reports] == [[]] * len(reports)
        return reports[:HOT_WORKERS], reports[HOT_WORKERS:]


def figures(reports):
    return sum(report["uses"] for report in reports), max(report["longestMs"] for report in reports)


def throttle(by, daemon, ended):
    if by == "stops":
        return ended(Stops(daemon.process.pid, RUN_MS, os.path.join(daemon.directory, "stops")))
    try:
        return ended(Quota(daemon.process.pid, RUN_MS))
    except OSError as problem:
        pytest.skip(f"no quota can be had here ({problem}); the other variant of this test stops the daemon instead")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["quota", "stops"])
def test_no_worker_stalls(daemon, php, ended, by):
    throttle(by, daemon, ended).end()  # or the reference below would be in vain
    work = Work(daemon, php)
    hot, waiting = work.run(SECONDS / 2)
    lines = [("in full", work.killed, *figures(hot), *figures(waiting))]

    throttled = throttle(by, daemon, ended)
    work = Work(daemon, php)
    hot, waiting = work.run(SECONDS)
    stood_still = throttled.stood_still()
    throttled.end()
    lines.append((throttled.how, work.killed, *figures(hot), *figures(waiting)))
    for how, killed, hot_uses, hot_longest, uses, longest in lines:
        note_figure(
            f"daemon {how}: {killed} processes died; {hot_uses} hot acquires, longest {hot_longest:.1f} ms; "
            f"{uses} in a queue, longest wait {longest:.1f} ms"
        )

    assert stood_still is None or stood_still >= 10, "the daemon never wanted more than it got: nothing was tested"
    assert work.killed >= 20
    _, _, _, hot_reference, _, reference = lines[0]
    _, _, hot_uses, hot_longest, uses, longest = lines[1]
    assert hot_uses > 2000 and uses > 2000
    assert hot_longest < max(LONGEST_MS, TIMES_THE_REFERENCE * hot_reference)
    assert longest < max(LONGEST_MS, TIMES_THE_REFERENCE * reference)
    # And the dead are buried all the same.
    watcher = php.commander(name="queue", max=UNITS)
    watcher.wait_for_stats(inUse=0, waiting=0)
