"""One program started by a test. It is ended by its pid, whatever happens to the test."""

import ctypes
import os
import pwd
import select
import signal
import subprocess
import time

from .waiting import WATCHDOG_SECONDS, wait_until

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None, use_errno=True)


def _end_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _identity(user):
    """The subprocess options that run a program as `user`; none for ourselves."""
    if user is None or pwd.getpwnam(user).pw_uid == os.geteuid():
        return {}
    account = pwd.getpwnam(user)
    return {
        "user": account.pw_uid,
        "group": account.pw_gid,
        "extra_groups": os.getgrouplist(user, account.pw_gid),
    }


def run_to_end(argv, env=None, user=None, cwd="/", timeout=WATCHDOG_SECONDS, stdin=""):
    """Runs a program to its end and returns the CompletedProcess, with output as text. The time limit is a watchdog."""
    return subprocess.run(
        [str(a) for a in argv],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=timeout,
        preexec_fn=_end_with_parent,
        start_new_session=True,
        **_identity(user),
    )


class Process:
    """A program that runs beside the test. stdout and stderr go to log_path, or stdout to us as lines when piped."""

    def __init__(self, argv, log_path, env=None, user=None, cwd="/", piped=False):
        self.argv = [str(a) for a in argv]
        self.log_path = log_path
        self._piped = piped
        self._unread = b""
        with open(log_path, "ab") as log:
            self._popen = subprocess.Popen(
                self.argv,
                env={**os.environ, **(env or {})},
                cwd=cwd,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else log,
                stderr=log,
                bufsize=0,
                preexec_fn=_end_with_parent,
                start_new_session=True,
                **_identity(user),
            )

    @property
    def pid(self):
        return self._popen.pid

    @property
    def exit_code(self):
        """None while it runs; negative for a signal."""
        return self._popen.poll()

    def running(self):
        return self.exit_code is None

    def send_signal(self, number):
        self._popen.send_signal(number)

    def wait(self, timeout=WATCHDOG_SECONDS):
        """Waits for its end and returns the exit code."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            who = f"{self.argv[0]} (pid {self.pid})"
            raise AssertionError(f"{who} did not end within {timeout:g} s\n{self.log_text()}") from None

    def end(self, number=signal.SIGTERM, grace_seconds=10):
        """Asks it to end, and insists after the grace period. Safe to call when it has ended already."""
        if self.running():
            self.send_signal(number)
            self.send_signal(signal.SIGCONT)
            try:
                self._popen.wait(grace_seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        for stream in (self._popen.stdin, self._popen.stdout):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass

    def kill(self):
        """SIGKILL, and waits until the kernel has buried it."""
        if self.running():
            self.send_signal(signal.SIGCONT)
            self.send_signal(signal.SIGKILL)
        self._popen.wait()

    def stop_running(self):
        """SIGSTOP, and waits until it really stands still."""
        self.send_signal(signal.SIGSTOP)
        wait_until(lambda: self.state() == "T", what=f"pid {self.pid} to stop")

    def state(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0]

    def cpu_ns(self):
        """Nanoseconds its main thread has spent on a CPU."""
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as schedstat:
            return int(schedstat.read().split()[0])

    def log_text(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def send_line(self, text):
        self._popen.stdin.write(text.encode() + b"\n")

    def close_stdin(self):
        self._popen.stdin.close()

    def read_line(self, timeout=WATCHDOG_SECONDS):
        """The next line of its stdout, without the newline; None at the end of the stream."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._popen.stdout], [], [], left)[0]:
                who = f"{self.argv} (pid {self.pid}, {self.state()})"
                raise AssertionError(f"no line from {who} within {timeout:g} s\n{self.log_text()}")
            chunk = self._popen.stdout.read(65536)
            if not chunk:
                return None
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode("utf-8", "replace")

    def has_line(self):
        """Whether read_line() would return at once."""
        return b"\n" in self._unread or bool(select.select([self._popen.stdout], [], [], 0)[0])


def adopt_orphans():
    """Makes the kernel give us, instead of init, the processes that our programs leave behind."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)


def living_children():
    """Pids of all our children that still run, orphans of our programs included (see adopt_orphans)."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as stat:
                state, parent = stat.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.append(int(entry))
    return found


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as cmdline:
            return cmdline.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return ""
