"""Waiting for a condition, with a watchdog instead of a guess about how long it takes."""

import time

WATCHDOG_SECONDS = 30.0


def wait_until(condition, timeout=WATCHDOG_SECONDS, what="the condition", poll_seconds=0.01):
    """Returns the first true value of condition(); fails, naming `what`, when there is none before the watchdog."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {timeout:g} s in vain for {what}")
        time.sleep(poll_seconds)
