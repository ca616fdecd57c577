"""Mutexes as an operator sees them, and a corrupted one made usable again."""

import json
import re

import pytest

from servers.php import Commander, PhpError
from servers.waiting import wait_until

CORRUPTED = "OxPHP\\Shared\\CorruptedMutexException"


@pytest.fixture
def make_worker(php):
    return lambda **options: Commander(php.worker("mutex_commander.php", options))


def mutex_of(ctl, name):
    return next(mutex for mutex in ctl.json("mutexes")["mutexes"] if mutex["name"] == name)


def metric(daemon, name, mutex):
    found = re.search(rf'^oxphp_shared_mutex_{name}{{mutex_id="{mutex["id"]}"}} (\S+)$', daemon.http_get("/metrics")[1], re.M)
    return float(found[1])


def corrupt(make_worker, name):
    """A mutex whose value 3 was committed, and whose holder was killed while a waiter waited: that one's answer."""
    holder, waiter = make_worker(), make_worker()
    assert holder.ask("add", name, 3) == 3
    assert holder.ask("hold", name) == "holds"
    waiter.begin("add", name)
    wait_until(lambda: waiter.process.state() == "S", what="the wait")
    holder.kill()
    with pytest.raises(PhpError) as told:
        waiter.finish()
    return told.value


def test_who_has_it_and_who_waits(ctl, daemon, make_worker):
    holder, waiter = make_worker(), make_worker()
    assert holder.ask("add", "counter", 5) == 5
    seen = mutex_of(ctl, "counter")
    assert (seen["corrupted"], seen["waiting"], seen["holder"], seen["acquires"]) == (False, 0, None, 5)
    assert seen["last_acquire_ms"] is not None
    assert (seen["given_name"], seen["on_owner_death"]) == (True, "corrupt")
    make_worker(onOwnerDeath="recover").ask("keep", "other")
    other = mutex_of(ctl, "other")
    assert (other["on_owner_death"], other["last_acquire_ms"]) == ("recover", None)
    assert holder.ask("hold", "counter") == "holds"
    waiter.begin("add", "counter")
    wait_until(lambda: mutex_of(ctl, "counter")["waiting"] == 1, what="the waiter to be seen")
    seen = mutex_of(ctl, "counter")
    assert seen["holder"]["pid"] == holder.pid
    entry = json.loads(daemon.http_get(f"/__ox_shared/entry?id={seen['id']}")[1])
    assert entry["type"] == "Mutex" and entry["refcount"] == 2 and entry["ops"] == 6
    specific = entry["type_specific"]
    assert specific["held_by_thread"] == f"{holder.pid}/{seen['holder']['lane']}"
    assert (specific["name"], specific["waiters"], specific["corrupted"]) == ("counter", 1, False)
    assert (metric(daemon, "waiters", seen), metric(daemon, "acquires_total", seen)) == (1, 6)
    assert re.search(rf"sound +1 +{holder.pid}/\d+ .*counter$", ctl.done("mutexes"), re.M)
    holder.begin("release")
    assert holder.finish() == "released"
    assert waiter.finish() == 6
    assert metric(daemon, "contended_total", seen) == 1
    assert mutex_of(ctl, "counter")["holder"] is None


def test_preview_shows_the_value_and_can_be_switched_off(daemon, make_worker):
    worker = make_worker()
    worker.ask("add", "counter", 12)
    entries = json.loads(daemon.http_get("/__ox_shared/entries")[1])["items"]
    identity = next(entry["id"] for entry in entries if entry["type"] == "Mutex")
    answer = json.loads(daemon.http_get(f"/__ox_shared/preview?id={identity}")[1])
    assert answer == {"id": identity, "type": "Mutex", "preview": "12"}
    daemon.write_config("preview = false\n")
    daemon.reload()
    wait_until(lambda: daemon.http_get(f"/__ox_shared/preview?id={identity}")[0] == 403, what="previews to be off")


def test_a_corrupted_one_is_named_and_reset(ctl, daemon, make_worker):
    assert corrupt(make_worker, "counter").php_class == CORRUPTED
    seen = mutex_of(ctl, "counter")
    assert seen["corrupted"] and seen["holder"] is None
    assert metric(daemon, "corrupted", seen) == 1
    doctor = ctl.run("doctor", "--interval", "100ms")
    assert doctor.returncode == 1
    assert "mutex_corrupted:" in doctor.stdout and '"counter"' in doctor.stdout

    worker = make_worker()
    with pytest.raises(PhpError, match="CorruptedMutexException"):
        worker.ask("value", "counter")
    assert ctl.done("mutex", "reset", "counter").startswith('mutex "counter" reset')
    assert metric(daemon, "corrupted", seen) == 0
    assert worker.ask("value", "counter") == 3, "the last committed one"
    assert worker.ask("add", "counter") == 4
    assert mutex_of(ctl, "counter")["id"] == seen["id"]
    daemon.wait_for_log("mutex reset by operator")
    assert "is not corrupted; nothing was changed" in ctl.done("mutex", "reset", "counter")
    assert worker.ask("value", "counter") == 4


def test_a_dead_holder_is_found_though_nobody_asks(ctl, make_worker):
    holder = make_worker()
    holder.ask("add", "alone", 2)
    assert holder.ask("hold", "alone") == "holds"
    holder.kill()
    wait_until(lambda: mutex_of(ctl, "alone")["corrupted"], what="the daemon to bury the holder")


def test_one_that_the_application_replaced_troubles_nobody(ctl, daemon, make_worker):
    attached, other = make_worker(), make_worker()
    kept = attached.ask("keep", "counter")
    corrupt(make_worker, "counter")
    old = mutex_of(ctl, "counter")
    assert old["id"] == kept
    assert metric(daemon, "corrupted", old) == 1
    assert other.ask("replace", "counter") is True
    both = {mutex["id"]: mutex for mutex in ctl.json("mutexes")["mutexes"]}
    assert len(both) == 2 and both[old["id"]]["removed"], "the first worker has not noticed yet"
    assert metric(daemon, "corrupted", old) == 0
    assert ctl.done("doctor", "--interval", "100ms") == "nothing is wrong\n"
    ctl.refused("mutex", "reset", old["id"], parts=['"counter"', "name was removed"])
    assert attached.ask("add", "counter") == 1, "of the new one"


def test_what_is_no_mutex_is_refused_in_a_sentence(ctl, php, make_worker):
    make_worker().ask("add", "counter")
    php.commander("db").ask("use", 1)
    ctl.refused("mutex", "reset", "db", parts=["no mutex named", "db"])
    ctl.refused("mutex", "reset", "counterr", parts=["did you mean", "counter"])
    ctl.refused("mutex", "reset", "counter", "--namespace", "nowhere", parts=["no such namespace"])
    ctl.refused("mutex", "reset", "4711", parts=["no mutex with id 4711"])
    ctl.refused("mutex", "reset", "9" * 20, parts=["no mutex has an id of", "name:999"])
    ctl.refused("resize", "counter", 3, parts=["no pool named", "counter"])
