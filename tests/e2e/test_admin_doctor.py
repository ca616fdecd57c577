"""doctor finds what is wrong with a real daemon and real workers, and says so; it exits 0 when nothing is."""

import json
import os
import signal

from servers.waiting import wait_until


def findings(ctl):
    """By code: the sentence. The exit code must fit."""
    result = ctl.run("--json", "doctor", "--interval", "1100ms")
    answer = json.loads(result.stdout)
    assert answer["healthy"] == (not answer["findings"]) == (result.returncode == 0), (result, answer)
    return {finding["code"]: finding["sentence"] for finding in answer["findings"]}


def test_healthy(ctl, php):
    worker = php.commander("db", max=2)
    worker.ask("acquire")
    assert findings(ctl) == {}
    assert ctl.done("doctor", "--interval", "0") == "nothing is wrong\n"


def test_daemon_down(make_ctl, make_directory):
    assert list(findings(make_ctl(make_directory()))) == ["daemon_down"]


def test_a_full_pool_names_who_holds_it(ctl, php):
    watched = {"leakAfterMs": 600_000}  # then lines are noted
    holder, waiter = php.commander("db", max=1, pool=watched), php.commander("db", max=1, pool=watched)
    holder.ask("acquire")
    waiter.begin("acquire")
    wait_until(lambda: ctl.json("stats", "db")["waiting"] == 1)
    found = findings(ctl)
    assert list(found) == ["pool_full"]
    assert f"worker {holder.pid}/1" in found["pool_full"] and "commander.php" in found["pool_full"]


def test_idle_elsewhere_and_an_owner_that_does_not_look(ctl, php):
    owner, waiter = php.commander("db", max=1), php.commander("db", max=1)
    owner.ask("acquire")
    owner.ask("release")
    waiter.begin("acquire")
    wait_until(lambda: ctl.json("stats", "db")["flagged"] == 1)
    found = findings(ctl)
    assert "idle_elsewhere" in found and "1 slot of 1 idle" in found["idle_elsewhere"]
    assert "ignores_flag" in found and f"worker {owner.pid}/1" in found["ignores_flag"]
    owner.ask("tick")
    assert waiter.finish() == 1


def test_a_leak_with_its_line(ctl, php):
    worker = php.commander("db", max=2, pool={"leakAfterMs": 200})
    worker.ask("acquire")
    wait_until(lambda: ctl.json("stats", "db")["leaks"] == 1)
    found = findings(ctl)
    assert list(found) == ["leak"] and "commander.php" in found["leak"]


def test_disagreement_and_a_lowered_cap(ctl, php):
    first = php.commander("db", max=5)
    for _ in range(5):
        first.ask("acquire")
    php.commander("db", max=3)
    found = findings(ctl)
    assert set(found) == {"disagreement", "above_cap"}


def test_a_slow_factory(ctl, php):
    php.run(
        "$pool = new OxPHP\\Shared\\Pool(factory: function () { usleep(700_000); return new stdClass(); }, name: 'slow');"
        "$pool->acquire();"
    )
    assert list(findings(ctl)) == ["slow_factory"]


def test_paused_and_drained(ctl, php):
    php.commander("a")
    php.commander("b")
    ctl.done("pause", "a")
    ctl.done("drain", "b")
    assert set(findings(ctl)) == {"paused", "drained"}


def test_tables_nearly_full(make_daemon, make_ctl, make_php):
    daemon = make_daemon(config="[limits]\npools = 2\n").start()
    php = make_php(daemon.runtime_dir)
    php.commander("a")
    php.commander("b")
    found = findings(make_ctl(daemon.runtime_dir))
    assert list(found) == ["table_full"] and "limits.pools" in found["table_full"]


def test_a_broken_namespace(daemon, ctl, php):
    worker = php.commander("db")
    segment = os.path.join(daemon.runtime_dir, "segments", f"uid-{os.geteuid()}")
    os.truncate(segment, 4096)
    wait_until(lambda: daemon.http_get("/readyz")[0] == 503)
    assert "not_ready" in findings(ctl)
    worker.kill()


def test_a_daemon_that_was_stopped_was_late(daemon, ctl, php):
    daemon.process.stop_running()
    wait_for_real_time(0.7)
    daemon.process.send_signal(signal.SIGCONT)
    wait_until(lambda: "loop_late" in findings(ctl))


def wait_for_real_time(seconds):
    """The time itself is what is tested: how long the daemon stood still."""
    import time

    time.sleep(seconds)
