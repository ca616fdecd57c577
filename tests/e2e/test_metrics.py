"""What Prometheus sees."""

import base64
import os
import re

import pytest

from servers.artifacts import REPOSITORY
from servers.exposition import Exposition
from servers.php import Commander, PhpError
from servers.process import run_to_end
from servers.prometheus import Prometheus
from servers.waiting import wait_until

UNKNOWN = "\ufffd"
# Name → how it is shown.
ODD_NAMES = {
    b"plain": "plain",
    b'quote " in it': 'quote " in it',
    b"back\\slash and \\n": "back\\slash and \\n",
    b"line\nend\r\n": "line\nend\r\n",
    b"ends in a backslash\\": "ends in a backslash\\",
    b'"} 1\noxphp_shared_pool_in_use{pool_id="1"} 77\n#': '"} 1\noxphp_shared_pool_in_use{pool_id="1"} 77\n#',
    "größe € 🐂".encode(): "größe € 🐂",
    b"latin \xe9": "latin " + UNKNOWN,
    b"cut \xe2\x82": "cut " + 2 * UNKNOWN,
    b"surrogate \xed\xa0\x80": "surrogate " + 3 * UNKNOWN,
    b"nul \x00 in it": "nul " + UNKNOWN + " in it",
    b"\x01\x02\x1f\x7f": "\x01\x02\x1f\x7f",
    bytes(range(1, 256)): None,  # only that it can be read
    b"x" * 255: "x" * 255,
}
ODD_MUTEX = 'a mutex: quote " back\\slash line\nend € '
# The contract's own names, which promtool does not like.
ALLOWED_FINDINGS = {"oxphp_shared_pool_count", "oxphp_shared_objects_total"}


@pytest.fixture
def odd_pools(php):
    names = [base64.b64encode(name).decode() for name in ODD_NAMES]
    worker = php.worker("named_pools.php", {"names": names})
    assert worker.read_line() == "ready", worker.log_text()
    return worker


@pytest.fixture
def odd_mutex(php):
    """Its id; a worker is attached to it."""
    return Commander(php.worker("mutex_commander.php", {})).ask("keep", ODD_MUTEX)


@pytest.fixture
def prometheus(daemon, ended):
    return ended(Prometheus(daemon.http_port))


def scrape(daemon):
    status, body, headers = daemon.http_get("/metrics")
    assert status == 200, body
    assert headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return Exposition(body)


def test_a_real_prometheus_scrapes_pools_of_any_name(odd_pools, prometheus):
    prometheus.wait_for_scrape()
    wait_until(lambda: prometheus.query("oxphp_shared_pool_info"), what="pools in Prometheus")
    names = [labels["name"] for labels, value in prometheus.query("oxphp_shared_pool_info")]
    assert len(names) == len(ODD_NAMES)
    assert {shown for shown in ODD_NAMES.values() if shown is not None} <= set(names)
    joined = prometheus.query("oxphp_shared_pool_in_use * on (pool_id) group_left (name) oxphp_shared_pool_info")
    assert [value for _, value in joined] == [1.0] * len(ODD_NAMES)
    assert sorted(labels["name"] for labels, _ in joined) == sorted(names)
    assert prometheus.query('scrape_samples_scraped{job="oxpool"}')[0][1] > 50 * len(ODD_NAMES)


def test_a_real_prometheus_scrapes_mutexes_of_any_name(odd_mutex, prometheus):
    prometheus.wait_for_scrape()
    joined = "oxphp_shared_mutex_{} * on (mutex_id) group_left (name) oxphp_shared_mutex_info"
    wait_until(lambda: prometheus.query(joined.format("corrupted")), what="the mutex in Prometheus")
    for name in ("waiters", "acquires_total", "contended_total", "corrupted"):
        ((labels, value),) = prometheus.query(joined.format(name))
        assert (labels["name"], labels["mutex_id"], value) == (ODD_MUTEX, str(odd_mutex), 0)


def test_promtool_objects_to_the_names_of_the_contract_only(daemon, odd_pools, odd_mutex):
    body = daemon.http_get("/metrics")[1]
    done = run_to_end(["promtool", "check", "metrics"], stdin=body)
    findings = (done.stdout + done.stderr).splitlines()
    assert {finding.split()[0] for finding in findings} == ALLOWED_FINDINGS, findings


def test_an_empty_daemon_is_scraped_too(daemon):
    body = daemon.http_get("/metrics")[1]
    done = run_to_end(["promtool", "check", "metrics"], stdin=body)
    assert {line.split()[0] for line in (done.stdout + done.stderr).splitlines()} <= ALLOWED_FINDINGS
    assert scrape(daemon).value("oxphp_shared_objects_total", type="Pool") == 0


def test_the_alerts_are_rules_that_prometheus_loads(daemon, ended):
    rules = os.path.join(REPOSITORY, "deploy", "prometheus", "alerts.yml")
    prometheus = ended(Prometheus(daemon.http_port, rule_files=[rules]))
    prometheus.wait_for_scrape()

    def healths():
        groups = prometheus.get("rules")["groups"]
        found = [rule["health"] for group in groups for rule in group["rules"]]
        return found if found and "unknown" not in found else None

    assert set(wait_until(healths, what="all rules to be evaluated")) == {"ok"}


def test_every_series_that_alerts_and_dashboards_use_is_there(daemon, php, odd_mutex):
    php.commander(max=2)
    exposition = scrape(daemon)
    there = {name for name, _ in exposition.series}
    used = set()
    for path in ("deploy/prometheus/alerts.yml", "deploy/grafana/oxpool.json"):
        with open(os.path.join(REPOSITORY, path), encoding="utf-8") as file:
            used |= set(re.findall(r"\b(?:oxpool|oxphp_shared)_[a-z_]+", file.read()))
    assert len(used) > 20
    assert used <= there, used - there


def test_what_workers_do_is_counted(daemon, php):
    worker = php.commander(name="counted", max=1)
    other = php.commander(name="counted", max=1)
    pool = worker.ask("id")

    def acquires(exposition):
        results = ("ok", "timeout", "closed", "saturated")
        return [exposition.value("oxphp_shared_pool_acquire_total", pool_id=pool, result=r) for r in results]

    before = scrape(daemon)
    assert acquires(before) == [0, 0, 0, 0]
    assert before.value("oxphp_shared_pool_wait_seconds_count", pool_id=pool) == 0
    assert before.value("oxpool_pool_workers", pool_id=pool) == 2

    worker.ask("acquire")
    assert other.ask("tryAcquire") is False
    with pytest.raises(PhpError, match="OperationTimeoutException"):
        other.ask("acquireTimeout", 60)
    held = scrape(daemon)
    assert acquires(held) == [1, 1, 0, 1]
    assert held.value("oxphp_shared_pool_in_use", pool_id=pool) == 1
    assert held.value("oxphp_shared_pool_wait_seconds_count", pool_id=pool) == 2, "ok + timeout + closed"
    assert held.value("oxphp_shared_pool_wait_seconds_bucket", pool_id=pool, le="0.0001") == 1
    assert held.value("oxphp_shared_pool_wait_seconds_bucket", pool_id=pool, le="0.05") == 1
    assert held.value("oxphp_shared_pool_wait_seconds_sum", pool_id=pool) >= 0.06

    worker.ask("release")
    after = scrape(daemon)
    assert after.value("oxphp_shared_pool_idle", pool_id=pool) == 1
    assert after.value("oxphp_shared_pool_count", pool_id=pool) == 1
    assert after.value("oxpool_pool_mints_total", pool_id=pool) == 1
    assert after.value("oxphp_shared_operations_total", type="Pool") == 2

    worker.ask("evict")
    evicted = scrape(daemon)
    assert evicted.value("oxphp_shared_pool_evicted_total", pool_id=pool, reason="evict") == 1
    assert evicted.value("oxphp_shared_pool_count", pool_id=pool) == 0


def test_counters_outlive_workers_and_never_go_down(daemon, php):
    pool = None
    last = 0
    for round in range(1, 6):
        worker = php.commander(name="steady", max=2)
        pool = pool or worker.ask("id")
        worker.ask("use", 100)
        if round % 2:
            worker.kill()
        else:
            worker.process.close_stdin()
            worker.process.wait()
        for _ in range(20):
            ok = scrape(daemon).value("oxphp_shared_pool_acquire_total", pool_id=pool, result="ok")
            assert ok >= last
            last = ok
        assert last == 100 * round
    wait_until(
        lambda: sum(v for (n, _), v in scrape(daemon).series.items() if n == "oxpool_burials_total") == 3,
        what="three burials to be counted",
    )


def test_a_restarted_daemon_goes_on_counting(daemon, php):
    worker = php.commander(name="kept", max=2)
    worker.ask("use", 50)
    pool = worker.ask("id")
    daemon.stop()
    worker.ask("use", 50)
    daemon.restart()
    assert scrape(daemon).value("oxphp_shared_pool_acquire_total", pool_id=pool, result="ok") == 100
