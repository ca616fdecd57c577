"""Sixteen workers on a cap of four while workers, or the daemon, are killed: no unit is lost, none is had twice."""

import json
import random
import signal
import time

import pytest

from servers.waiting import wait_until

WORKERS = 16
CAP = 4


class Crowd:
    """The workers of one run, killed and replaced as told."""

    def __init__(self, php, server, seconds):
        self.php = php
        self.options = {"name": "crowd", "max": CAP, "server": server.address, "factoryMs": 5, "destroyMs": 1, "holdUs": 2000}
        self.end = time.monotonic() + seconds
        self.workers = []
        self.killed = 0
        for _ in range(WORKERS):
            self.add()

    def add(self):
        seconds = max(self.end - time.monotonic(), 0.1)
        worker = self.php.worker("hammer.php", {**self.options, "seconds": seconds})
        worker.send_line("go")
        self.workers.append(worker)

    def kill(self, number):
        for worker in random.sample(self.workers, number):
            worker.kill()
            worker.end()  # its pipes, too
            self.workers.remove(worker)
            self.killed += 1
        while len(self.workers) < WORKERS:
            self.add()

    def reports(self):
        """Of those that nobody killed."""
        reports = []
        for worker in self.workers:
            assert worker.read_line(90) == "ready", worker.log_text()
            reports.append(json.loads(worker.read_line(90) or worker.log_text()))
        return reports


def check_whole(php, server, crowd):
    """Nobody saw an error, everything is back, and one newcomer gets the whole cap."""
    reports = crowd.reports()
    assert [report["errors"] for report in reports] == [[]] * WORKERS
    watcher = php.commander(name="crowd", max=CAP, server=server.address)
    watcher.wait_for_stats(inUse=0, waiting=0, size=0)
    for _ in range(CAP):
        assert watcher.ask("tryAcquire"), "a unit is lost"
    assert not watcher.ask("tryAcquire")
    assert server.state()["peak"] <= CAP, f"{server.state()['peak']} connections were open at once"
    wait_until(lambda: server.state()["open"] == CAP, what="no connection but the newcomer's")
    return sum(report["uses"] for report in reports)


@pytest.mark.slow
def test_workers_killed_at_random(php, counting_server):
    crowd = Crowd(php, counting_server, seconds=60)
    while time.monotonic() < crowd.end - 1:
        # One by one, and now and then half of them at once.
        crowd.kill(WORKERS // 2 if random.random() < 0.1 else 1)
        time.sleep(random.uniform(0, 0.2))
    uses = check_whole(php, counting_server, crowd)
    print(f"{crowd.killed} workers killed; the last {WORKERS} used a connection {uses} times")
    assert crowd.killed >= 200


@pytest.mark.slow
def test_the_daemon_killed_and_restarted_fifty_times(daemon, php, counting_server):
    crowd = Crowd(php, counting_server, seconds=60)
    for worker in crowd.workers:
        assert worker.read_line() == "ready", worker.log_text()
    restarts = 0
    while restarts < 50 and time.monotonic() < crowd.end - 2:
        daemon.kill()
        daemon.process.wait()
        if restarts % 5 == 0:
            time.sleep(random.uniform(0, 0.3))  # a while without one
        daemon.restart()
        assert daemon.log_contains("segment adopted")
        restarts += 1
        time.sleep(random.uniform(0, 0.5))
    assert restarts == 50
    reports = [json.loads(worker.read_line(90) or worker.log_text()) for worker in crowd.workers]
    assert [report["errors"] for report in reports] == [[]] * WORKERS
    assert min(report["uses"] for report in reports) > 0
    watcher = php.commander(name="crowd", max=CAP, server=counting_server.address)
    watcher.wait_for_stats(inUse=0, waiting=0, size=0)
    for _ in range(CAP):
        assert watcher.ask("tryAcquire"), "a unit is lost"
    assert counting_server.state()["peak"] <= CAP


@pytest.mark.slow
def test_a_stopped_daemon_stops_nobody(daemon, php, counting_server):
    crowd = Crowd(php, counting_server, seconds=14)
    for worker in crowd.workers:
        assert worker.read_line() == "ready", worker.log_text()
    time.sleep(1)
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        accepted = counting_server.state()["accepted"]
        time.sleep(10)
        assert counting_server.state()["accepted"] > accepted, "connections are handed over as before"
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    reports = [json.loads(worker.read_line(90) or worker.log_text()) for worker in crowd.workers]
    assert [report["errors"] for report in reports] == [[]] * WORKERS
    assert counting_server.state()["peak"] <= CAP
