"""A worker that stands still inside a lock of the segment: doctor names it, and changes that need the lock say so."""

import os
import signal

import pytest

from servers.segment_file import SegmentFile
from servers.waiting import wait_until
from test_admin_doctor import findings


@pytest.fixture
def frozen_worker(daemon, php, ended):
    """(worker, segment, its owner id): it stands still, and is about to be said to be inside a lock."""
    worker = php.commander("db", max=4)
    segment = ended(SegmentFile(os.path.join(daemon.runtime_dir, "segments", f"uid-{os.geteuid()}")))
    worker.process.stop_running()
    yield worker, segment, segment.owner(lane=1)
    worker.process.send_signal(signal.SIGCONT)


def test_the_lock_of_a_pool(ctl, frozen_worker):
    worker, segment, owner = frozen_worker
    assert findings(ctl) == {}
    segment.hold_pool_lock(0, owner)
    found = wait_until(lambda: findings(ctl))
    assert list(found) == ["frozen_in_lock"]
    assert f"worker {worker.pid}/1 (php-cli)" in found["frozen_in_lock"] and 'pool "db"' in found["frozen_in_lock"]
    segment.hold_pool_lock(0, 0)
    assert findings(ctl) == {}


def test_the_lock_of_the_tables(ctl, frozen_worker):
    worker, segment, owner = frozen_worker
    segment.hold_table_lock(owner)
    found = wait_until(lambda: findings(ctl))
    assert list(found) == ["frozen_in_lock"] and "tables" in found["frozen_in_lock"]
    ctl.refused("resize", "db", 8, "--timeout", "800ms", parts=['"db"', "inside a lock", "nothing was changed", "doctor"])
    assert ctl.json("stats", "db")["operator_max_size"] == 0
    segment.hold_table_lock(0)
    assert ctl.json("resize", "db", 8)["pool"]["max_size"] == 8


def test_the_lock_of_the_values_of_mutexes(ctl, frozen_worker):
    worker, segment, owner = frozen_worker
    segment.hold_value_lock(owner)
    found = wait_until(lambda: findings(ctl))
    assert list(found) == ["frozen_in_lock"] and "values of mutexes" in found["frozen_in_lock"]
    assert f"worker {worker.pid}/1 " in found["frozen_in_lock"]
    segment.hold_value_lock(0)
    assert findings(ctl) == {}
