"""Three in the morning: all units of a pool are out and never come back. From the alert to the line of code and out again."""

import os
import re

import pytest

from servers.artifacts import REPOSITORY
from servers.prometheus import Prometheus
from servers.pseudo_terminal import PseudoTerminal
from servers.waiting import wait_until

ALERTS = os.path.join(REPOSITORY, "deploy", "prometheus", "alerts.yml")
LEAKY = os.path.join(REPOSITORY, "tests", "e2e", "php", "leaky_shop.php")
WORKERS = 8


def line_of_the_leak():
    with open(LEAKY, encoding="utf-8") as script:
        return next(number for number, text in enumerate(script, 1) if "people look for" in text)


def firing(prometheus, alert):
    return [one for one in prometheus.get("alerts")["alerts"] if one["labels"]["alertname"] == alert and one["state"] == "firing"]


def kept(ctl):
    return ctl.json("stats", "shop")["in_use"]


@pytest.fixture
def shop(php):
    """Eight workers of a pool of eight, which have used it once each."""
    workers = [php.worker("leaky_shop.php", {"name": "shop", "max": WORKERS}) for _ in range(WORKERS)]
    for worker in workers:
        assert worker.read_line() == "ready", worker.log_text()
        order(worker, "sound")
        assert worker.read_line() == "done", worker.log_text()
    return workers


def order(worker, what):
    worker.send_line(what)


@pytest.mark.slow
def test_leaked_slots_from_the_alert_to_recovery(daemon, php, ctl, shop, ended):
    prometheus = ended(Prometheus(daemon.http_port, rule_files=[ALERTS]))
    prometheus.wait_for_scrape()
    wait_until(
        lambda: prometheus.query('oxpool_pool_leaks_total * on (pool_id) group_left (name) oxphp_shared_pool_info{name="shop"}'),
        what="the pool in Prometheus, without a leak",
    )
    assert not firing(prometheus, "OxpoolLeaks")
    assert ctl.run("doctor").returncode == 0

    # The deploy with the fault: every worker keeps its slot.
    for worker in shop:
        order(worker, "leak")
        assert worker.read_line() == "done", worker.log_text()
    customer = php.worker("leaky_shop.php", {"name": "shop", "max": WORKERS})
    assert customer.read_line() == "ready", customer.log_text()
    order(customer, "sound")

    # The pager.
    wait_until(lambda: firing(prometheus, "OxpoolLeaks"), what="the alert to fire")
    (alert,) = firing(prometheus, "OxpoolLeaks")
    assert alert["labels"]["name"] == "shop"
    pool_id = alert["labels"]["pool_id"]
    assert f"oxpoolctl holders {pool_id}" in alert["annotations"]["description"]

    # Which pool is it?
    terminal = ended(PseudoTerminal(ctl.argv("top", "--interval", "100ms")))
    terminal.wait_for("shop")
    wait_until(lambda: re.search(rf"{WORKERS} in use", terminal.read()) and re.search(r"1 waiting", terminal.read()))
    terminal.type("q")
    assert terminal.wait() == 0

    # Who has the units, and from which line?
    place = f"leaky_shop.php:{line_of_the_leak()}"
    text = ctl.done("holders", pool_id)
    assert text.count(place) == WORKERS, text
    assert {str(worker.pid) for worker in shop} == set(re.findall(r"\b(\d+)/\d+\b", text)), text
    assert "leaky_shop.php:" in ctl.done("waiters", pool_id), "and who waits, where"

    # What does the doctor say?
    doctor = ctl.run("doctor")
    assert doctor.returncode == 1, doctor.stdout
    assert re.search(rf"{WORKERS} slots of pool .*shop.* held for longer than .*{re.escape(place)}\b", doctor.stdout), doctor.stdout

    # The way out: room for those who wait, without touching a holder.
    ctl.done("resize", pool_id, WORKERS + 4)
    assert customer.read_line() == "done", customer.log_text()
    assert kept(ctl) == WORKERS

    # The fault is taken back: its workers end, what they had is there again, and the cap is the old one.
    for worker in shop:
        worker.send_signal(9)
        worker.wait()
    wait_until(lambda: kept(ctl) == 0, what="the burial of those who leaked")
    ctl.done("resize", pool_id, "--unset")
    assert ctl.json("stats", "shop")["max_size"] == WORKERS
    order(customer, "sound")
    assert customer.read_line() == "done", customer.log_text()
    wait_until(lambda: ctl.run("doctor").returncode == 0, what="a healthy doctor's verdict")
