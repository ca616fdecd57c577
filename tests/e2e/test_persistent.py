"""Slots that outlive a request in php-fpm, with the recipes of php-client/README.md and the real servers."""

import json
import os
import signal
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.persistent import CLIENTS, RESETS, VALIDATES
from servers.postgres import Postgres
from servers.recipes import write_code_blocks
from servers.waiting import wait_until
from servers.web import UNPRIVILEGED, run_wrk

WITH_SERVER = [client for client in CLIENTS if client != "pdo_sqlite"]


@pytest.mark.parametrize("client", CLIENTS)
def test_one_connection_serves_many_requests(make_kept, client):
    kept = make_kept(client)
    first = kept.id()
    for _ in range(5):
        answer = kept.ask(["id"], ["idle"], ["dump"], ["info"])
        assert answer["said"][0] == first
        assert answer["factory"] == 1
        assert answer["said"][1] == 1
        assert "[idle] => 1" in answer["said"][2]
    assert kept.size() == 1
    if kept.backend.server:
        assert kept.backend.connections() == 1


@pytest.mark.parametrize("client,pooling", [*((client, 0) for client in CLIENTS), ("phpredis", 1)])
def test_several_slots_of_one_child(make_kept, client, pooling):
    kept = make_kept(client, ini={"redis.pconnect.pooling_enabled": pooling})
    # Handles in an argument list come back in order; the second request takes them all again.
    ids = sorted(kept.ask(["ids", 3])["said"][0])
    assert len(set(ids)) == 3
    again = kept.ask(["ids", 3], ["idle"])
    assert sorted(again["said"][0]) == ids
    assert again["factory"] == 3
    assert again["said"][1] == 3
    if kept.backend.server:
        assert kept.backend.connections() == 3
    assert kept.ask(["evict"])["said"] == [3]
    kept.wait_until_gone("evict()")


@pytest.mark.parametrize("client", CLIENTS)
def test_oxpoolctl_evict(make_kept, client):
    kept = make_kept(client)
    kept.id()
    kept.ctl.done("evict", "kept")
    kept.site.wait_until_other_pages_make(lambda: kept.size() == 0, "the evicted slot to go")
    if kept.backend.server:
        assert kept.backend.connections() == 0
    kept.id()
    assert kept.size() == 1


@pytest.mark.parametrize("client", CLIENTS)
def test_lifetime(make_kept, client):
    kept = make_kept(client)
    kept.id(pool={"maxLifetimeMs": 200})
    kept.site.wait_until_other_pages_make(lambda: kept.size() == 0, "the old slot to go")
    if kept.backend.server:
        assert kept.backend.connections() == 0


@pytest.mark.parametrize("client", CLIENTS)
def test_discard_and_evict_within_a_request(make_kept, client):
    kept = make_kept(client)
    first = kept.id()
    answer = kept.ask(["discard"], ["id"])
    assert answer["said"][1] != first and "xception" not in answer["said"][1], answer
    assert answer["destroyed"] == 1
    if kept.backend.server:
        assert kept.backend.connections() == 1
    assert kept.ask(["evict"], ["size"])["said"] == [1, 0]  # one that is parked
    kept.wait_until_gone("evict()")


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("how", ["SIGQUIT", "SIGTERM", "SIGKILL"])
def test_the_end_of_the_child(make_kept, client, how):
    kept = make_kept(client)
    answer = kept.ask(["id"])
    os.kill(answer["pid"], getattr(signal, how))
    kept.wait_until_gone(how)
    closed = kept.ctl.done("stats", "kept")
    assert ("shutdown 1" if how == "SIGQUIT" else "dead_owner 1") in closed, closed


@pytest.mark.parametrize("client", ["pdo_pgsql", "pdo_mysql", "phpredis"])
def test_hand_over_to_who_waits(make_kept, daemon_for_www, make_php, client):
    """A script waits for the one unit; the child that has it parked gives it at its next request, whatever that is for."""
    kept = make_kept(client)
    kept.id(pool={"maxSize": 1})
    php = make_php(daemon_for_www.runtime_dir)
    code = """
        $pool = new OxPHP\\Shared\\Pool(fn () => new stdClass, maxSize: 1, name: 'kept');
        $handle = $pool->acquireTimeout(20_000); echo 'served';
    """
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    with ThreadPoolExecutor(1) as one:
        waiting = one.submit(php.run, code, user=user)
        kept.site.wait_until_other_pages_make(waiting.done, "the script to be served")
        done = waiting.result()
    assert done.stdout == "served", done.stdout + done.stderr
    if kept.backend.server:
        assert kept.backend.connections() == 0


LEAKS = {
    "pdo_pgsql": [
        ("CREATE TEMP TABLE mine AS SELECT 1", "SELECT count(*) FROM pg_class WHERE relname = 'mine'", 1, 0),
        ("SET statement_timeout = 12345", "SELECT count(*) FROM pg_settings WHERE setting = '12345'", 1, 0),
        ("SELECT pg_advisory_lock(5)", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", 1, 0),
        ("BEGIN", "SELECT count(*) FROM pg_stat_activity WHERE pid = pg_backend_pid() AND xact_start < now() - '0'::interval"
                  " AND backend_xid IS NOT NULL", 0, 0),
    ],
    "pgsql": [
        ("CREATE TEMP TABLE mine AS SELECT 1", "SELECT count(*) FROM pg_class WHERE relname = 'mine'", 1, 0),
        ("SET statement_timeout = 12345", "SELECT count(*) FROM pg_settings WHERE setting = '12345'", 0, 0),
        ("SELECT pg_advisory_lock(5)", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'", 1, 0),
    ],
    "pdo_mysql": [
        ("CREATE TEMPORARY TABLE mine (n INT)", "SELECT count(*) FROM mine", 0, 0),
        ("SET @mine = 7", "SELECT @mine IS NOT NULL", 1, 1),
        ("SELECT GET_LOCK('mine', 0)", "SELECT IS_USED_LOCK('mine') IS NOT NULL", 1, 0),
        ("SET SESSION sql_mode = 'ANSI'", "SELECT @@sql_mode LIKE '%ANSI%'", 1, 1),
    ],
    "mysqli": [
        ("SET @mine = 7", "SELECT @mine IS NOT NULL", 0, 0),
        ("SELECT GET_LOCK('mine', 0)", "SELECT IS_USED_LOCK('mine') IS NOT NULL", 0, 0),
    ],
    "pdo_sqlite": [
        ("CREATE TEMP TABLE mine (n)", "SELECT count(*) FROM sqlite_temp_master", 1, 0),
        ("PRAGMA user_version = 7", "PRAGMA user_version", 7, 7),
    ],
}


@pytest.mark.parametrize("client,spoil,look,without,with_reset", [(c, *row) for c in LEAKS for row in LEAKS[c]])
def test_what_remains(make_kept, client, spoil, look, without, with_reset):
    """The table in the README: without a reset the next request finds it, with the recipe it does not, or it says so."""
    for reset, expected in ((None, without), (RESETS[client], with_reset)):
        kept = make_kept(client)
        pool = {"reset": reset} if reset else {}
        before = kept.ask(["id"], ["run", spoil], pool=pool)["said"][0]
        after = kept.ask(["id"], ["run", look], pool=pool)["said"]
        assert after[0] == before
        found = after[1]
        assert int(found[0][0] if isinstance(found[0], list) else list(found[0].values())[0]) == expected, (reset, found)
        kept.site.end()


@pytest.mark.parametrize("client", ["pdo_pgsql", "pdo_mysql", "pdo_sqlite"])
def test_a_transaction_does_not_reach_the_next_request(make_kept, client):
    kept = make_kept(client)
    before = kept.ask(["id"], ["begin"])["said"][0]
    assert kept.ask(["id"], ["begin"])["said"] == [before, True]


@pytest.mark.parametrize("validated", [True, False], ids=["validate", "no validate"])
@pytest.mark.parametrize("client", WITH_SERVER)
def test_a_connection_that_the_server_closed_is_replaced(make_kept, client, validated):
    kept = make_kept(client)
    pool = {"maxSize": 1, **({"validate": VALIDATES[client], "validateAfterIdleMs": 0} if validated else {})}
    first = kept.id(pool=pool)
    kept.backend.kill(first)
    answer = kept.ask(["id"], ["size"], pool=pool)
    assert answer["said"][0] != first and "xception" not in answer["said"][0], answer
    assert answer["said"][1] == 1, answer
    assert kept.backend.connections() == 1
    assert kept.id(pool=pool) == answer["said"][0]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_validate_refuses_is_replaced_on_its_unit(make_kept, client):
    kept = make_kept(client)
    first = kept.id(pool={"maxSize": 1})
    pool = {"maxSize": 1, "validate": "validate_never", "validateAfterIdleMs": 0}
    if client == "pdo_sqlite":  # without a socket: once nothing has it, which is when its object is gone
        pool["maxSize"] = 2
    answer = kept.ask(["id"], pool=pool)
    # pg_pconnect() hands the one that was shut down out again: closed too, and a third one is made on a free unit.
    assert answer["said"][0] != first and answer["destroyed"] == (2 if client == "pgsql" else 1), answer
    assert kept.id(pool={"maxSize": 1}) == answer["said"][0]
    if kept.backend.server:
        assert kept.backend.connections() == 1


def test_a_factory_that_ignores_its_key(make_kept):
    kept = make_kept("ignores_key", "pdo_pgsql")
    first = kept.id()
    said = kept.ask(["keep"], ["ids", 1], ["tryId"], ["size"])["said"]
    assert said[0]
    for refused in said[1:3]:
        assert refused.startswith("OxPHP\\Shared\\TypeException") and "open before" in refused, refused
    assert said[3] == 1
    assert kept.site.log_text().count("was open before") == 1
    assert kept.backend.connections() <= 1
    assert first


def test_two_pools_with_the_same_key(make_kept):
    kept = make_kept("ignores_key", "pdo_pgsql")
    first = kept.id()
    refused = kept.said(pool={"name": "other"})
    assert refused.startswith("OxPHP\\Shared\\TypeException") and "open before" in refused, refused
    assert kept.id() == first
    assert kept.backend.connections() == 1


def test_a_factory_that_opens_two(make_kept):
    kept = make_kept("opens_two", "pdo_pgsql")
    refused = kept.said()
    assert refused.startswith("OxPHP\\Shared\\TypeException") and "several connections" in refused, refused
    kept.wait_until_gone("the end of the request")


def test_a_factory_that_opens_another_one_for_its_key(make_kept):
    kept = make_kept("opens_another", "pdo_pgsql")
    first = kept.id(name="a")
    assert kept.id(name="a") == first
    other = kept.id(name="b")
    assert other != first
    assert "opened another connection for a slot that has one" in kept.site.log_text()
    assert kept.backend.connections() == 1
    assert kept.id(name="b") == other


@pytest.mark.parametrize("client,backend", [("not_persistent", "pdo_pgsql"), ("pfsockopen", "phpredis")])
def test_an_unknown_driver_falls_back_to_the_request(make_kept, client, backend):
    kept = make_kept(client, backend)
    for _ in range(3):
        kept.id()
        kept.wait_until_gone("the end of the request")
    assert kept.site.log_text().count("closed at the end of each request") == 1


@pytest.mark.parametrize("fails", ["throw", "null"])
def test_a_factory_that_fails_when_it_is_run_again(make_kept, fails):
    kept = make_kept("pdo_pgsql")
    kept.id()
    failed = kept.said(fails=fails)
    assert failed.startswith("LogicException" if fails == "throw" else "OxPHP\\Shared\\TypeException"), failed
    kept.wait_until_gone("the failed factory")
    assert kept.id().isdigit()


def test_a_factory_that_throws_after_it_connected(make_kept):
    kept = make_kept("throws", "pdo_pgsql")
    assert kept.said() == "LogicException: no"
    kept.wait_until_gone("the failed factory")


ENDS = ["exit", "fatal", "memory", "time", "keep"]


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_held_at_the_end_is_closed_and_not_parked(make_kept, client, how):
    kept = make_kept(client)
    first = kept.id()
    status, body = kept.visit([how])
    assert status == (500 if how in ("fatal", "memory", "time") else 200), body
    kept.wait_until_gone(how)
    second = kept.id()
    assert second != first or client == "mysqli"
    assert kept.id() == second


@pytest.mark.parametrize("client", WITH_SERVER)
def test_never_one_connection_more_than_the_cap(make_kept, client):
    """Children that outnumber the units, under load; the server is asked all the time, and PostgreSQL refuses a fifth."""
    kept = make_kept(client, children=8)
    if isinstance(kept.backend.server, Postgres):
        kept.backend.server.execute("ALTER ROLE visitor CONNECTION LIMIT 4")
    try:
        with ThreadPoolExecutor(1) as one:
            told = urllib.parse.quote(json.dumps({**kept._told, "do": [["id", None]], "pool": {"maxSize": 4}}))
            load = one.submit(run_wrk, kept.site.url(f"/persistent.php?strict=1&q={told}"), 16, 3)
            peak = 0
            while not load.done():
                peak = max(peak, kept.backend.connections())
        assert load.result().failed == 0, f"{load.result().report}\n{kept.site.log_text()[-2000:]}"
        assert 0 < peak <= 4
    finally:
        if isinstance(kept.backend.server, Postgres):
            kept.backend.server.execute("ALTER ROLE visitor CONNECTION LIMIT -1")


def test_an_exception_of_the_body_parks(make_kept):
    kept = make_kept("pdo_pgsql")
    first = kept.id()
    assert kept.ask(["throw"])["said"] == ["LogicException: body"]
    assert kept.id() == first


def test_in_a_script_it_has_no_effect(daemon, make_php):
    php = make_php(daemon.runtime_dir)
    done = php.run(
        """
        use OxPHP\\Shared\\Pool;
        for ($i = 0; $i < 2; $i++) {
            $pool = new Pool(fn (string $slot) => new PDO('sqlite::memory:', null, null, [PDO::ATTR_PERSISTENT => $slot]),
                name: "p$i", persistent: true, maxSize: 1);
            $pool->with(fn ($pdo) => $pdo->exec('CREATE TABLE t (n)'));
            $pool->with(fn ($pdo) => $pdo->exec('INSERT INTO t VALUES (1)'));
            $pool->evict();
            $pool->with(fn ($pdo) => $pdo->exec('CREATE TABLE t (n)'));
        }
        echo 'done';
        try {
            new Pool(fn () => new stdClass, persistent: true);
        } catch (OxPHP\\Shared\\TypeException $e) {
            echo ' ', $e->getMessage();
        }
        """,
        ini={"error_log": "/dev/stderr", "log_errors": 1},
    )
    assert done.stdout.startswith("done OxPHP\\Shared\\Pool::__construct(): Option $name must be given"), done.stdout
    assert done.stderr.count("has no effect in a script") == 1, done.stderr


def test_the_pool_of_the_readme(make_kept, daemon_for_www, make_php, make_directory):
    kept = make_kept("pdo_pgsql")
    usage = write_code_blocks(make_directory(), "Persistent slots", "shown_")[0]
    php = make_php(daemon_for_www.runtime_dir)
    done = php.run(
        f"""
        $dsn = '{kept.backend.to["dsn"]}'; $user = $password = null;
        foreach ({json.dumps(kept._told["recipes"])} as $file) {{ require $file; }}
        require '{usage}';
        echo $db->with(fn (PDO $pdo) => $pdo->query('SELECT 5')->fetchColumn());
        """,
        user=UNPRIVILEGED if os.geteuid() == 0 else None,
    )
    assert (done.stdout, done.returncode) == ("5", 0), done.stdout + done.stderr
