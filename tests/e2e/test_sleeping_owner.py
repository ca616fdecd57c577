"""Idle connections of php-fpm's children are closed while those sleep in accept(), for whoever needs the unit."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from servers.matrix import note_figure
from servers.pooled_fpm import PooledFpm, daemon_config
from servers.waiting import wait_until

CAP = 16


@pytest.fixture
def make_site(artifacts, make_daemon, postgres_for_visitors, ended):
    """php-fpm with 16 children in the pool www and 4 in the pool busy."""

    def make(**options):
        started = make_daemon(config=daemon_config()).start()
        return ended(
            PooledFpm(artifacts, started, postgres_for_visitors, CAP, more_pools={"busy": {"pm.max_children": 4}}, **options)
        )

    return make


@pytest.fixture
def site(make_site):
    return make_site()


def fill(site):
    """All 16 units are idle in the 16 children of www, which sleep."""
    site.ask_together(CAP, hold_ms=200)
    wait_until(lambda: site.idle() == CAP, what="16 idle connections")
    assert site.postgres.connections_of("visitor") == CAP


def test_a_waiter_gets_the_unit_of_a_child_that_sleeps_in_accept(site):
    fill(site)
    waited = site.ask("busy", hold_ms=0)
    assert site.metric("oxphp_shared_pool_evicted_total", reason="reclaim") == 1
    assert site.metric("oxpool_pool_mints_total") == CAP + 1
    # A slice of the waiter's sleep is 100 ms: less than that is no look of its own, and no request came to the others.
    assert site.waits_above("0.05") == 0, waited
    wait_until(lambda: site.metric("oxpool_wakes_total") >= 1, what="the wake to be counted")
    # The children whose connection is gone find out in their next request and go on.
    again = site.ask_together(CAP, hold_ms=100)
    assert len({answer["pid"] for answer in again}) == CAP
    assert "oxpool" not in site.fpm.log_text()


def test_no_request_of_the_busy_few_waits_longer_than_50_ms(site):
    """20 workers, cap 16: 16 units are idle in children asleep in accept(), the other four are under load."""
    worst = []
    idle = []
    for turn in range(5):
        if turn == 0:
            fill(site)
        else:
            # The daemon may keep units free by now, where waits had begun beside idle connections.
            site.ask_together(CAP, hold_ms=200)
            wait_until(lambda: site.metric("oxphp_shared_pool_in_use") == 0, what="the requests to be over")
        idle.append(int(site.idle()))
        # A waiter asks for nothing that came back less than 20 ms ago (Acquire::kIdleLongEnoughNs): its owner is busy.
        time.sleep(0.05)
        before = site.waits_above("0.05")
        with ThreadPoolExecutor(4) as visitors:
            answers = [
                answer
                for some in visitors.map(lambda _: [site.ask("busy", hold_ms=1) for _ in range(100)], range(4))
                for answer in some
            ]
        worst.append(max(answer["acquire_ms"] for answer in answers))
        assert site.waits_above("0.05") == before, f"a wait of more than 50 ms; worst acquire {worst} ms"
        assert site.postgres.connections_of("visitor") <= CAP
    note_figure(
        f"starvation ({', '.join(map(str, idle))} of 16 units idle in children asleep in accept(), four others under load): "
        f"worst acquire of each round, connecting included: {', '.join(f'{ms:.1f}' for ms in worst)} ms"
    )


def test_without_the_signal_the_waiter_is_served_by_requests_of_the_sleepers_only(make_site):
    site = make_site(ini={"oxpool.wake_signal": "0"})
    fill(site)
    with ThreadPoolExecutor(1) as visitor:
        waiting = visitor.submit(site.ask, "busy", hold_ms=0)
        wait_until(lambda: site.metric("oxpool_pool_flagged") >= 1, what="an idle connection to be flagged")
        assert site.metric("oxpool_wakes_total") == 0
        while not waiting.done():
            site.ask(sleep_ms=0)  # each child in its turn closes what was flagged
        waiting.result()
    assert site.metric("oxpool_wakes_total") == 0


def test_a_signal_that_can_not_be_had_is_said_once(make_site):
    site = make_site(ini={"oxpool.wake_signal": "9"})
    for _ in range(2 * CAP):
        site.ask(sleep_ms=0)
    wait_until(lambda: "oxpool.wake_signal is '9'; it takes 0" in site.fpm.log_text(), what="the sentence")
    assert site.fpm.log_text().count("oxpool.wake_signal is") <= CAP  # once a child


def test_idle_timeouts_come_true_while_the_owners_sleep(site):
    site.ask_together(CAP, hold_ms=100, idle_ms=300)
    wait_until(lambda: site.postgres.connections_of("visitor") == 0, what="the idle connections to be closed")
    assert site.idle() == 0
    assert site.metric("oxphp_shared_pool_evicted_total", reason="idle_timeout") == CAP


def test_a_daemon_that_was_restarted_wakes_those_who_had_a_request_since(site):
    fill(site)
    site.daemon.kill()
    site.daemon.restart()
    # A session that has ended is looked at once a second.
    wait_until(
        lambda: site.ask_together(CAP, hold_ms=50) and site.metric("oxpool_sessions") >= CAP,
        what="the children to come back to the daemon",
    )
    # Who met others waiting since the restart may have given its connection away.
    wait_until(lambda: site.ask_together(CAP, hold_ms=200) and site.idle() == CAP, what="16 idle connections")
    site.ask("busy", hold_ms=0)
    # The daemon tells what it counts every 100 ms.
    wait_until(lambda: site.metric("oxpool_wakes_total") >= 1, what="the wake to be counted")
