"""What oxpoolctl shows of real workers: every verb that looks, as a table and as JSON."""

import json
import os
import re

from servers.waiting import wait_until

HOLDER = """<?php
use OxPHP\\Shared\\Pool;
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 2, name: 'db', leakAfterMs: 60_000);
$handles = [];
function take(Pool $pool) {
    return $pool->acquire();
}
$handles[] = take($pool);
$idle = $pool->acquire();
$idle->release();
echo "taken\\n";
fgets(STDIN);
"""


def table(text):
    """The rows of a table as dictionaries by title; columns are two spaces or more apart."""
    header, *rows = [re.split(r" {2,}", line.strip()) for line in text.rstrip("\n").split("\n")]
    return [dict(zip(header, row)) for row in rows]


def test_nothing_to_see(ctl):
    assert ctl.json("list") == {"pools": []}
    assert ctl.done("list").count("\n") == 1, "the header alone"
    assert ctl.json("processes") == {"processes": []}
    assert ctl.json("mutexes") == {"mutexes": []}
    assert ctl.done("mutexes").startswith("ID")


def test_list_and_stats(ctl, php):
    worker = php.commander("db", max=3)
    worker.ask("acquire")
    worker.ask("acquire")
    worker.ask("release")
    (pool,) = ctl.json("list")["pools"]
    expected = {"name": "db", "in_use": 1, "idle": 1, "waiting": 0, "size": 2, "max_size": 3, "gate": "open"}
    assert {key: pool[key] for key in expected} == expected
    assert pool["namespace"] == f"uid-{os.geteuid()}" and pool["workers"] == 1 and pool["given_name"] is True
    assert abs(pool["utilization"] - 1 / 3) < 0.01
    (row,) = table(ctl.done("list"))
    assert (row["ID"], row["MAX"], row["IN USE"], row["IDLE"], row["NAME"]) == (str(pool["id"]), "3", "1", "1", "db")

    counters = ctl.json("stats")["pools"][0]["counters"]
    assert (counters["acquire_ok"], counters["releases"], counters["mints"]) == (2, 1, 2)
    (row,) = table(ctl.done("stats"))
    assert (row["SERVED"], row["MINTS"]) == ("2", "2")

    for which in ("db", "name:db", str(pool["id"])):
        detail = ctl.json("stats", which)
        assert detail["name"] == "db"
        assert sum(detail["wait"]["counts"]) == 2 and sum(detail["hold"]["counts"]) == 1
        assert detail["idle_by_worker"] == {f"{worker.pid}/1": 1}
        assert detail["closed"]["evict"] == 0
    page = ctl.done("stats", "db")
    assert "1 in use, 1 idle, 0 minting, 0 closing, of 3 (33%)" in page and "2 served" in page


def test_holders_name_the_line_and_the_worker(ctl, php, tmp_path):
    script = tmp_path / "holder.php"
    script.write_text(HOLDER)
    worker = php.worker(str(script), {})
    assert worker.read_line() == "taken", worker.log_text()
    answer = ctl.json("holders", "db")
    assert answer["pool"]["name"] == "db"
    first, second = answer["holders"]
    assert (first["state"], first["place"], first["reason"]) == ("in_use", f"{script}:6", "")
    assert first["worker"]["pid"] == worker.pid and first["worker"]["program"].startswith("php")
    assert second["state"] == "idle"
    assert len(ctl.json("holders", "db", "--in-use")["holders"]) == 1
    rows = table(ctl.done("holders", "db"))
    assert rows[0]["STATE"] == "in use" and rows[0]["WORKER"] == f"{worker.pid}/1" and f"{script}:6" in str(rows[0])


def test_waiters_stand_in_their_order(ctl, php):
    holder = php.commander("db", max=1)
    holder.ask("acquire")
    first, second = php.commander("db", max=1), php.commander("db", max=1)
    first.begin("acquire")
    wait_until(lambda: len(ctl.json("waiters", "db")["waiters"]) == 1)
    second.begin("acquireTimeout", 60_000)
    wait_until(lambda: len(ctl.json("waiters", "db")["waiters"]) == 2)
    one, two = ctl.json("waiters", "db")["waiters"]
    assert (one["worker"]["pid"], one["left_ms"]) == (first.pid, None)
    assert two["worker"]["pid"] == second.pid and 0 < two["left_ms"] <= 60_000
    assert one["place"].split(":")[0].endswith("commander.php")
    rows = table(ctl.done("waiters", "db"))
    assert [row["TURN"] for row in rows] == ["1", "2"] and rows[0]["LEFT"] == "no limit"
    (pool,) = ctl.json("list")["pools"]
    assert pool["waiting"] == 2 and pool["oldest_wait_ms"] > 0
    assert "full" in ctl.done("list")


def test_processes(ctl, php):
    first, second = php.commander("db", max=2), php.commander("db", max=2)
    first.ask("acquire")
    processes = {process["pid"]: process for process in ctl.json("processes")["processes"]}
    assert set(processes) == {first.pid, second.pid}
    assert (processes[first.pid]["in_use"], processes[second.pid]["in_use"]) == (1, 0)
    assert processes[first.pid]["uid"] == os.geteuid()
    assert ctl.json("processes", "--namespace", "nowhere") == {"processes": []}
    assert {row["PID"] for row in table(ctl.done("processes"))} == {str(first.pid), str(second.pid)}


def test_odd_names(ctl, php):
    """Any bytes can be typed and are shown, and none of them steers a terminal."""
    php.worker("commander.php", {"name": "12"}).read_line()
    odd = "tab\t\"quote\" \x1b[31m ümläut 接続"
    php.worker("commander.php", {"name": odd}).read_line()
    assert ctl.json("stats", odd)["name"] == odd
    assert ctl.json("stats", "name:12")["name"] == "12"
    ctl.refused("stats", "12", parts=["12", "list"])
    listed = ctl.done("list")
    assert "\x1b" not in listed and "\t" not in listed and "\\x1b[31m ümläut 接続" in listed


def test_names_that_are_no_utf8(ctl, php):
    php.run("new OxPHP\\Shared\\Pool(factory: fn () => new stdClass(), name: \"a\\xff\"); sleep(0);")
    (pool,) = ctl.json("list")["pools"]
    assert (pool["name"], pool["name_base64"]) == ("a\ufffd", "Yf8=")
    assert "a\\xff" in ctl.done("list")
    assert ctl.json("stats", os.fsdecode(b"a\xff"))["id"] == pool["id"]


def test_watch(ctl, php):
    worker = php.commander("db", max=2)
    watch = ctl.begin("--json", "watch", "--interval", "100ms")
    snapshot = json.loads(watch.read_line())
    assert [pool["name"] for pool in snapshot["pools"]] == ["db"] and snapshot["pools"][0]["in_use"] == 0
    worker.ask("acquire")

    def in_use():
        following = json.loads(watch.read_line())
        assert following["taken_us"] > snapshot["taken_us"]
        return following["pools"][0]["in_use"]

    wait_until(lambda: in_use() == 1)
    assert ctl.done("watch", "db", "--count", "2", "--interval", "100ms").count("db") == 2


def test_watch_ends_when_its_pool_vanishes(make_daemon, make_ctl, make_php):
    daemon = make_daemon(config="[pools]\nlinger_s = 0\n").start()
    ctl, php = make_ctl(daemon.runtime_dir), make_php(daemon.runtime_dir)
    worker = php.commander("db")
    watch = ctl.begin("--json", "watch", "db", "--interval", "100ms")
    assert json.loads(watch.read_line())["pools"][0]["name"] == "db"
    worker.process.close_stdin()
    worker.process.wait()
    while True:
        last = json.loads(watch.read_line())
        if "error" in last:
            break
    assert last["error"]["code"] == "NOT_FOUND" and "is gone" in last["error"]["message"]
    assert watch.wait() == 1
    assert ctl.json("list") == {"pools": []}


def test_colours_only_on_a_terminal(ctl, php, make_ctl):
    worker = php.commander("db", max=1)
    worker.ask("acquire")
    assert "\x1b[" not in ctl.done("list")


def test_two_namespaces_are_told_apart(make_daemon, make_php, make_ctl):
    user = os.geteuid()
    daemon = make_daemon(config=f"[namespaces.shop]\nusers = [{user}]\n").start()
    php, ctl = make_php(daemon.runtime_dir), make_ctl(daemon.runtime_dir)
    php.commander("db")
    php.commander("db", ini={"oxpool.namespace": "shop"})
    assert {pool["namespace"] for pool in ctl.json("list")["pools"]} == {f"uid-{user}", "shop"}
    ids = {pool["id"] for pool in ctl.json("list")["pools"]}
    assert len(ids) == 2
    ctl.refused("stats", "db", parts=["2 namespaces", "shop", f"uid-{user}"])
    assert ctl.json("stats", "db", "--namespace", "shop")["namespace"] == "shop"
    for number in ids:
        assert ctl.json("stats", number)["id"] == number
    assert [pool["namespace"] for pool in ctl.json("list", "--namespace", "shop")["pools"]] == ["shop"]
