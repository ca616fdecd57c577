"""deploy/quickstart.sh as a newcomer runs it: what it shows, and that it leaves nothing behind."""

import glob
import os
import re
import signal

import pytest

from servers.artifacts import REPOSITORY
from servers.process import Process, command_line, living_children
from servers.waiting import wait_until

SCRIPT = os.path.join(REPOSITORY, "deploy", "quickstart.sh")
CAP = 8
WORKERS = 24
LIVE_LINE = re.compile(r"^ +(\d+) +(\d+) +(\d+) +(\d+)$", re.MULTILINE)  # second, in use, idle, waiting


def leftovers():
    return set(glob.glob("/dev/shm/oxpool-quickstart.*") + glob.glob("/tmp/oxpool-quickstart.*"))


@pytest.fixture
def quickstart(make_directory, ended):
    """Starts the script: quickstart("--seconds", "3")."""
    log_path = os.path.join(make_directory("/tmp"), "output")
    before = leftovers()
    yield lambda *arguments: ended(Process(["bash", SCRIPT, *arguments], log_path))
    assert leftovers() == before


def number(output, label):
    """The first number of the last line that begins with this label."""
    found = re.findall(rf"^ +{label} +(?:fewest )?([\d,]+)", output, re.MULTILINE)
    assert found, f"no line {label!r} in:\n{output}"
    return int(found[-1].replace(",", ""))


def assert_shows_the_main_job(output, seconds):
    lines = [tuple(map(int, line)) for line in LIVE_LINE.findall(output)]
    assert [line[0] for line in lines] == list(range(1, seconds + 1)), output
    for _, in_use, idle, waiting in lines:
        assert in_use + idle <= CAP
        assert waiting <= WORKERS
    assert any(in_use > 0 and waiting > 0 for _, in_use, _, waiting in lines), "nobody ever waited:\n" + output
    assert number(output, "errors") == 0
    assert number(output, "open at once, at most") == CAP
    assert number(output, "uses per second") > 0
    assert number(output, "uses of a worker") > 0
    kill = r"kill -9 (\d+)\n.* got a connection \d+ ms after the kill:\n +in use 1, idle 0, waiting 0"
    assert re.search(kill, output), output


def assert_nothing_runs(started):
    assert {pid: command_line(pid) for pid in set(living_children()) - started} == {}


@pytest.mark.slow
def test_sqlite(quickstart):
    before = set(living_children())
    run = quickstart("--seconds", "3")
    assert run.wait(timeout=240) == 0, run.log_text()
    assert_shows_the_main_job(run.log_text(), seconds=3)
    assert_nothing_runs(before)


@pytest.mark.slow
def test_postgres(quickstart):
    before = set(living_children())
    run = quickstart("--postgres", "--seconds", "3")
    assert run.wait(timeout=240) == 0, run.log_text()
    output = run.log_text()
    without, _, with_pool = output.partition("Now with the pool")
    assert number(without, "errors") > 0, "without the pool somebody should have been turned away:\n" + output
    assert_shows_the_main_job(with_pool, seconds=3)
    assert number(with_pool, "as PostgreSQL counted") <= CAP
    assert_nothing_runs(before)


@pytest.mark.slow
@pytest.mark.parametrize("number_of_signal", [signal.SIGINT, signal.SIGTERM], ids=["ctrl_c", "sigterm"])
def test_interrupted_in_the_middle(quickstart, number_of_signal):
    before = set(living_children())
    run = quickstart("--postgres", "--seconds", "60")
    wait_until(lambda: "without the pool" in run.log_text(), timeout=240, what="the workers to be started")
    run.send_signal(number_of_signal)
    assert run.wait() != 0
    assert_nothing_runs(before)


@pytest.mark.parametrize("arguments", [["--mysql"], ["--seconds"], ["--seconds", "soon"], ["--seconds", "0"]])
def test_usage(quickstart, arguments):
    run = quickstart(*arguments)
    assert run.wait() == 2
    assert "usage: bash deploy/quickstart.sh" in run.log_text()
