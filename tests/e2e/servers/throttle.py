"""Gives a process so little of a CPU that it stands still most of the time, as a container with a small quota does."""

import os
import signal
import sys
import tempfile

from .process import Process
from .waiting import wait_until

PERIOD_MS = 100
HELPER = """
import os, signal, sys, time
pid, run_s, stand_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
print("begins", flush=True)
while True:
    os.kill(pid, signal.SIGSTOP)
    time.sleep(stand_s)
    os.kill(pid, signal.SIGCONT)
    time.sleep(run_s)
"""


def _mounts():
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            yield line.split()[1:4]  # where, what, options


class Quota:
    """A control group of its own with a quota of run_ms in every 100 ms of one CPU.

    OSError when this machine, or this user, can not have one."""

    def __init__(self, pid, run_ms):
        self.pid = pid
        self.group = None
        refused = OSError("no file system of control groups with a processor's share is mounted")
        for where, what, options in _mounts():
            if what == "cgroup" and "cpu" in options.split(","):
                limits = {"cpu.cfs_period_us": PERIOD_MS * 1000, "cpu.cfs_quota_us": run_ms * 1000}
            elif what == "cgroup2":
                limits = {"cpu.max": f"{run_ms * 1000} {PERIOD_MS * 1000}"}
            else:
                continue
            try:
                self._make(where, limits)
                self.how = f"a quota of {run_ms} ms in {PERIOD_MS} ms ({what})"
                return
            except OSError as problem:
                refused = problem
                self._remove()
        raise refused

    def _make(self, where, limits):
        self._above = where
        self.group = tempfile.mkdtemp(prefix="oxpool-test-", dir=where)
        for name, value in limits.items():
            self._write(os.path.join(self.group, name), value)
        self._write(os.path.join(self.group, "cgroup.procs"), self.pid)

    @staticmethod
    def _write(path, value):
        # Never made anew: a file that is not there is a controller that is not.
        with open(path, "r+", encoding="ascii") as file:
            file.write(str(value))

    def stood_still(self):
        """In how many periods it wanted more than it got."""
        with open(os.path.join(self.group, "cpu.stat"), encoding="ascii") as stat:
            return int(dict(line.split() for line in stat)["nr_throttled"])

    def _remove(self):
        if self.group is None:
            return
        group, self.group = self.group, None
        try:
            self._write(os.path.join(self._above, "cgroup.procs"), self.pid)
        except OSError:
            pass  # it has ended

        def removed():
            try:
                os.rmdir(group)
                return True
            except OSError:
                return False

        wait_until(removed, what=f"{group} to be empty")

    def end(self):
        self._remove()


class Stops:
    """The same by signals: stopped but for run_ms of every 100 ms, whatever it is in the middle of."""

    def __init__(self, pid, run_ms, log_path):
        self.how = f"stopped for {PERIOD_MS - run_ms} ms of every {PERIOD_MS} ms"
        self.pid = pid
        argv = [sys.executable, "-c", HELPER, pid, run_ms / 1000, (PERIOD_MS - run_ms) / 1000]
        self._helper = Process(argv, log_path, piped=True)
        assert self._helper.read_line() == "begins"

    def stood_still(self):
        return None  # always, so nobody needs to count

    def end(self):
        self._helper.kill()
        self._helper.end()
        try:
            os.kill(self.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
