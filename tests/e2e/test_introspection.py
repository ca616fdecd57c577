"""What can be asked about pools over HTTP, while PHP uses them."""

import json

from servers.waiting import wait_until


def get(daemon, path, status=200):
    answer_status, body, headers = daemon.http_get(path)
    assert answer_status == status, body
    assert headers["Content-Type"] == "application/json"
    return json.loads(body)


def test_an_entry_is_what_php_has(daemon, php):
    worker = php.commander(name="entry", max=3)
    worker.ask("acquire")
    worker.ask("acquire")
    worker.ask("release")
    entry = get(daemon, f"/__ox_shared/entry?id={worker.ask('id')}")
    assert entry["type"] == "Pool"
    assert entry["refcount"] == 1
    assert entry["ops"] == 3
    assert entry["age_sec"] >= 0
    specific = entry["type_specific"]
    assert specific.pop("idle_by_thread") == {f"{worker.pid}/{get_lane(daemon, worker)}": 1}
    assert specific == {
        "name": "entry",
        "count": 2,
        "size": 2,
        "in_use": 1,
        "idle": 1,
        "waiting": 0,
        "minting": 0,
        "closing": 0,
        "max_size": 3,
        "rebalance_strategy": "handover",
    }


def get_lane(daemon, worker):
    holders = get(daemon, f"/api/v1/pool?id={worker.ask('id')}")["holders"]
    return next(h["worker"].split("/")[1] for h in holders if h["pid"] == worker.pid)


def test_pages_of_entries_cover_all_pools(daemon, php):
    workers = [php.commander(name=f"page {i}") for i in range(7)]
    ids = sorted(worker.ask("id") for worker in workers)
    seen, cursor = [], ""
    while cursor is not None:
        page = get(daemon, f"/__ox_shared/entries?limit=3{cursor and f'&cursor={cursor}'}")
        assert page["total_matching"] == 7
        seen += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert seen == ids
    assert get(daemon, "/__ox_shared/summary")["by_type"]["Pool"]["count"] == 7


def test_holders_and_waiters_name_worker_and_line(daemon, php):
    holder = php.commander(name="who", max=1, pool={"leakAfterMs": 60_000})
    waiter = php.commander(name="who", max=1, pool={"leakAfterMs": 60_000})
    holder.ask("acquire")
    waiter.begin("acquireTimeout", 20_000)
    path = f"/api/v1/pool?id={holder.ask('id')}"
    pool = wait_until(lambda: (get(daemon, path)["waiters"] or None) and get(daemon, path), what="a waiter")
    (held,) = pool["holders"]
    assert (held["pid"], held["state"]) == (holder.pid, "in_use")
    assert held["place"].rpartition(":")[0].endswith("commander.php")
    (waiting,) = pool["waiters"]
    assert waiting["pid"] == waiter.pid
    assert waiting["place"].rpartition(":")[0].endswith("commander.php")
    assert 0 < waiting["deadline_in_ms"] <= 20_000
    assert pool["oldest_wait_ms"] >= waiting["since_ms"] - 100
    assert (pool["waiting"], pool["utilization"]) == (1, 1.0)
    holder.ask("release")
    assert waiter.finish() == 1


def test_what_happened_is_among_the_events(daemon, php):
    last = get(daemon, "/api/v1/events")["last"]
    worker = php.commander(name='e"vents', max=1)
    worker.ask("acquire")
    worker.kill()

    def burial():
        events = get(daemon, f"/api/v1/events?since={last}")["events"]
        return next((e for e in events if e["event"] == "worker buried"), None)

    event = wait_until(burial, what="the burial")
    assert event["fields"]["pid"] == worker.pid
    assert event["fields"]["slots"] == 1
    assert event["level"] == "info"


def test_json_lines_in_the_log(make_daemon, make_php):
    daemon = make_daemon(config='log_format = "json"\n').start()
    worker = make_php(daemon.runtime_dir).commander(name='l"og\n', max=1)
    worker.ask("acquire")
    worker.kill()
    daemon.wait_for_log('"worker buried"')
    daemon.write_config('log_format = "text"\n')
    daemon.reload()
    daemon.wait_for_log("configuration reloaded file=")
    before, _, after = daemon.log_text().partition('"worker buried"')
    lines = before.splitlines()[:-1]
    events = [json.loads(line) for line in lines]
    assert [e["event"] for e in events][:2] == ["ready", "segment made"]
    assert all(list(e)[:3] == ["time", "level", "event"] for e in events)
    assert after.splitlines()[-1].endswith('"')


def test_previews_are_switched_off_by_a_reload(daemon, php):
    worker = php.commander(name="preview", max=2)
    path = f"/__ox_shared/preview?id={worker.ask('id')}"
    assert get(daemon, path)["preview"] == "0 in use, 0 idle, 0 waiting, max 2: preview"
    daemon.write_config("preview = false\n")
    daemon.reload()
    wait_until(lambda: daemon.http_get(path)[0] == 403, what="previews to be off")
    assert "switched off" in get(daemon, path, 403)["error"]


def test_a_pool_that_is_gone_is_not_found(make_daemon, make_php):
    daemon = make_daemon(config="[pools]\nlinger_s = 0\n").start()
    worker = make_php(daemon.runtime_dir).commander(name="gone")
    pool = worker.ask("id")
    get(daemon, f"/__ox_shared/entry?id={pool}")
    worker.kill()
    wait_until(lambda: daemon.http_get(f"/__ox_shared/entry?id={pool}")[0] == 404, what="the pool to go")
    assert get(daemon, f"/api/v1/pool?id={pool}", 404) == {"error": f"there is no entry with id {pool}"}
    assert f'pool_id="{pool}"' not in daemon.http_get("/metrics")[1]
