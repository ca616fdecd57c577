"""The alerts and the dashboard speak of what the daemon really serves."""

import json
import os
import re

import pytest

from servers.artifacts import REPOSITORY
from servers.php import Commander
from servers.process import run_to_end
from servers.prometheus import Prometheus
from servers.waiting import wait_until

PROMETHEUS = os.path.join(REPOSITORY, "deploy", "prometheus")
DASHBOARD = os.path.join(REPOSITORY, "deploy", "grafana", "oxpool.json")
OF_THE_SCRAPER = {"up"}


def dashboard_expressions():
    with open(DASHBOARD, encoding="utf-8") as file:
        dashboard = json.load(file)
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]


def filled_in(expression):
    for variable, value in {"$instance": ".*", "$pool": ".*", "$__rate_interval": "1m"}.items():
        expression = expression.replace(variable, value)
    assert "$" not in expression, expression
    return expression


def metrics_in(expression):
    return set(re.findall(r"\b(?:oxphp_shared|oxpool)_[a-z_]+\b", expression))


@pytest.fixture
def prometheus(daemon, php, ended):
    worker = php.commander("db", max=2)
    worker.ask("acquire")
    Commander(php.worker("mutex_commander.php", {})).ask("add", "counter")
    prometheus = ended(Prometheus(daemon.http_port, rule_files=[os.path.join(PROMETHEUS, "alerts.yml")]))
    wait_until(lambda: prometheus.query("oxphp_shared_pool_in_use == 1"), what="the pool in Prometheus")
    return prometheus


def test_every_rule_says_what_its_test_says():
    done = run_to_end(["promtool", "test", "rules", os.path.join(PROMETHEUS, "alerts_test.yml")])
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_metric_of_the_alerts_is_served(prometheus):
    rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
    assert len(rules) >= 12
    assert [rule["name"] for rule in rules if rule["health"] == "err"] == []
    named = set().union(*(metrics_in(rule["query"]) for rule in rules))
    assert named, "no metric found"
    missing = sorted(name for name in named - OF_THE_SCRAPER if not prometheus.query(name))
    assert missing == []


def test_every_query_of_the_dashboard_can_be_answered(prometheus):
    expressions = [filled_in(expression) for expression in dashboard_expressions()]
    assert len(expressions) > 20
    missing = sorted(
        name for name in set().union(*map(metrics_in, expressions)) if not prometheus.query(name)
    )
    assert missing == []
    for expression in expressions:
        prometheus.query(expression)  # an error answer raises
