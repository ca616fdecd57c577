"""acceptGate: children of php-fpm without a connection take no request while no unit is free."""

import os
import signal
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.matrix import note_figure
from servers.oxpoold import free_tcp_port
from servers.pooled_fpm import PooledFpm, daemon_config
from servers.waiting import wait_until

CAP = 2
CHILDREN = 6
PM = {
    "static": {},
    "dynamic": {"pm": "dynamic", "pm.start_servers": CHILDREN, "pm.min_spare_servers": 1, "pm.max_spare_servers": CHILDREN},
    "ondemand": {"pm": "ondemand", "pm.process_idle_timeout": "300s"},
}


@pytest.fixture
def make_site(artifacts, make_daemon, postgres_for_visitors, ended):
    def make(settings=None, **options):
        started = make_daemon(config=daemon_config()).start()
        return ended(PooledFpm(artifacts, started, postgres_for_visitors, CHILDREN, settings=settings, **options))

    return make


@pytest.fixture
def site(make_site):
    return make_site()


def visit_all(site, pool="www", **told):
    """Every child has had a request that used the pool."""
    return site.ask_together(CHILDREN, pool, hold_ms=100, max=CAP, gate=1, **told)


def gated(site):
    return site.metric("oxpool_pool_gated")


def shut_the_gate(site):
    """Two children have the connections, the others are at the gate.

    With ondemand there are as many as php-fpm made: one that waits at the gate in accept() is idle to it."""

    def is_shut():
        visit_all(site)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            if gated(site) == len(site.children("www")) - CAP > 0 and site.idle() == CAP:
                return True
            time.sleep(0.01)
        return False

    wait_until(is_shut, what="the gate to be shut")


@pytest.mark.parametrize("listen", ["unix", "tcp"])
@pytest.mark.parametrize("pm", PM)
def test_requests_go_to_the_children_that_have_a_connection(make_site, pm, listen):
    site = make_site({**PM[pm], **({"listen": f"127.0.0.1:{free_tcp_port()}"} if listen == "tcp" else {})})
    shut_the_gate(site)
    minted = site.metric("oxpool_pool_mints_total")
    with ThreadPoolExecutor(CAP) as visitors:
        answers = list(visitors.map(lambda _: site.ask(hold_ms=1, max=CAP, gate=1), range(100)))
    assert len({answer["pid"] for answer in answers}) <= CAP
    assert site.metric("oxpool_pool_mints_total") == minted, "somebody reconnected"
    assert site.postgres.connections_of("visitor") == CAP


def test_who_loses_its_connection_in_accept_stays_there_until_a_unit_is_free(site):
    """Requests one by one: php-fpm gives each to the child that has waited longest, so all children come in turn."""
    for _ in range(2 * CHILDREN):
        site.ask(hold_ms=0, max=CAP, gate=1)
    minted = site.metric("oxpool_pool_mints_total")
    assert CHILDREN <= minted <= 2 * CHILDREN
    answers = [site.ask(hold_ms=0, max=CAP, gate=1) for _ in range(10 * CHILDREN)]
    assert len({answer["pid"] for answer in answers}) == CAP
    assert site.metric("oxpool_pool_mints_total") == minted, "somebody reconnected"
    wait_until(lambda: gated(site) == CHILDREN - CAP, what="the others to be counted")


def test_a_child_whose_connection_to_the_web_server_is_kept_is_not_gated(site, ended):
    """Its visitor's next request is for this child alone, connection to the database or not."""
    kept = [site.keep() for _ in range(CAP)]
    for connection, ask in kept:
        ended(connection)
        assert ask(hold_ms=0, max=CAP, gate=1)["pid"]
    # Others take their units while they wait for their next request.
    taken = [site.begin(hold_ms=0, sleep_ms=0, max=CAP, gate=1) for _ in range(CAP)]
    for request in taken:
        request.finish()
    wait_until(lambda: site.metric("oxpool_pool_closed_asleep_total") >= CAP, what="the kept children's to be closed")
    for _, ask in kept:
        assert ask(max=CAP, gate=1)["pid"]
        assert ask(hold_ms=0, max=CAP, gate=1)["pid"]


def test_the_gate_opens_for_requests_that_nobody_else_takes(site):
    """Both children with a connection are busy with pages that don't use the pool."""
    shut_the_gate(site)
    slow = [site.begin(max=CAP, gate=1, sleep_ms=60_000) for _ in range(CAP)]
    began = time.monotonic()
    answer = site.ask(max=CAP, gate=1)
    note_figure(
        "accept gate: a page that does not use the pool, while the children that have a connection are busy with slow "
        f"pages: served after {1000 * (time.monotonic() - began):.0f} ms"
    )
    assert answer["pid"]
    del slow


def test_two_pools_of_php_fpm_share_the_gate(make_site):
    site = make_site(more_pools={"other": {}})
    shut_the_gate(site)
    visit_all(site, "other")
    # A child that lost its connection while it slept in accept() is not at the gate.
    wait_until(lambda: gated(site) > CHILDREN - CAP, what="both pools to be at the gate")
    assert site.ask(hold_ms=0, max=CAP, gate=1)["pid"]
    assert site.ask("other", hold_ms=0, max=CAP, gate=1)["pid"]


def test_a_killed_child_at_the_gate_is_not_counted(site):
    shut_the_gate(site)
    before = set(site.children("www"))
    having = {answer["pid"] for answer in (site.ask(hold_ms=0, max=CAP, gate=1) for _ in range(10))}
    victim = next(iter(before - having))
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: gated(site) == CHILDREN - CAP - 1, what="the dead one to be taken out of the count")
    assert site.ask(hold_ms=0, max=CAP, gate=1)["pid"]


def test_the_gate_opens_when_the_pool_is_paused(site, make_ctl):
    shut_the_gate(site)
    make_ctl(site.daemon.runtime_dir).run("pause", "asleep")
    wait_until(lambda: gated(site) == 0, what="the gate to open")


def test_the_gate_opens_without_a_daemon(site):
    shut_the_gate(site)
    site.daemon.kill()
    wait_until(
        lambda: len({answer["pid"] for answer in site.ask_together(CHILDREN, sleep_ms=300, max=CAP, gate=1)}) == CHILDREN,
        what="every child to take requests",
    )


@pytest.mark.parametrize("graceful", [signal.SIGQUIT, signal.SIGTERM], ids=lambda number: number.name)
def test_php_fpm_stops_while_children_are_at_the_gate(site, graceful):
    shut_the_gate(site)
    site.fpm.process.send_signal(graceful)
    assert site.fpm.process.wait() == 0
    wait_until(lambda: gated(site) == 0, what="nobody to be at the gate")
    wait_until(lambda: site.postgres.connections_of("visitor") == 0, what="the connections to be closed")


def test_php_fpm_reloads_while_children_are_at_the_gate(site):
    shut_the_gate(site)
    before = set(site.children("www"))
    site.fpm.process.send_signal(signal.SIGUSR2)
    wait_until(
        lambda: len(site.children("www")) == CHILDREN and not before & set(site.children("www")), what="new children to be there"
    )
    shut_the_gate(site)


def test_what_the_gate_costs_pages_that_do_not_use_the_pool(site):
    """Pages that use the pool at full speed, beside slow pages that don't, with and without the gate."""
    for gate in (0, 1):
        site.ask_together(CHILDREN, hold_ms=50, max=CAP, gate=gate)
        end = time.monotonic() + 3

        def visit(told, took):
            while time.monotonic() < end:
                began = time.monotonic()
                site.ask(max=CAP, gate=gate, **told)
                took.append(1000 * (time.monotonic() - began))

        pooled, plain = [], []
        with ThreadPoolExecutor(8) as visitors:
            work = [visitors.submit(visit, {"hold_ms": 1}, pooled) for _ in range(6)]
            work += [visitors.submit(visit, {"sleep_ms": 50}, plain) for _ in range(2)]
            for one in work:
                one.result()
        middle, last = (statistics.median(plain), statistics.quantiles(plain, n=100)[98])
        note_figure(
            f"accept gate {'on' if gate else 'off'}, 6 children, cap 2: pages with the pool {len(pooled) / 3:.0f}/s, "
            f"p99 {statistics.quantiles(pooled, n=100)[98]:.0f} ms; pages of 50 ms without it {len(plain) / 3:.0f}/s, "
            f"p50 {middle:.0f} ms, p99 {last:.0f} ms"
        )
