"""A program in a terminal of a test: what it writes, and the terminal's settings."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from .waiting import WATCHDOG_SECONDS, wait_until


class PseudoTerminal:
    def __init__(self, argv, columns=100, lines=30, env=None):
        self.master, self.slave = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        self._popen = subprocess.Popen(
            [str(word) for word in argv],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**os.environ, "TERM": "xterm-256color", **(env or {})},
            preexec_fn=self._take_terminal,
        )

    def _take_terminal(self):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    @property
    def pid(self):
        return self._popen.pid

    def resize(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def send_signal(self, number):
        self._popen.send_signal(number)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def read(self):
        """Takes what has come; returns everything since the beginning."""
        while select.select([self.master], [], [], 0.02)[0]:
            try:
                chunk = os.read(self.master, 65536)
            except OSError:
                break
            if not chunk:
                break
            self.output += chunk
        return self.output.decode("utf-8", "replace")

    def wait_for(self, text, after=0):
        """Waits until `text` comes beyond so many characters; returns everything."""
        wait_until(lambda: text in self.read()[after:], what=f"{text!r} in:\n{self.output[-3000:]!r}")
        return self.read()

    def wait(self):
        """Waits for its end, reading on; returns the exit code."""
        deadline = time.monotonic() + WATCHDOG_SECONDS
        while self._popen.poll() is None:
            assert time.monotonic() < deadline, self.output[-2000:]
            self.read()
        self.read()
        return self._popen.returncode

    def is_restored(self):
        """Whether the terminal is as it was: settings, screen and cursor."""
        text = self.read()
        left = text.rfind("\x1b[?1049l") > text.rfind("\x1b[?1049h")
        shown = text.rfind("\x1b[?25h") > text.rfind("\x1b[?25l")
        return termios.tcgetattr(self.slave) == self.before and left and shown

    def end(self):
        if self._popen.poll() is None:
            self._popen.send_signal(signal.SIGKILL)
            self._popen.wait()
        os.close(self.master)
        os.close(self.slave)
