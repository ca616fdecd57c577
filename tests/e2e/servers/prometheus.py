"""A Prometheus of its own that scrapes one target; nothing of it stays."""

import json
import os
import shutil
import tempfile
import urllib.parse
import urllib.request

from .oxpoold import free_tcp_port
from .process import Process
from .waiting import WATCHDOG_SECONDS, wait_until

CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: {rule_files}
scrape_configs:
  - job_name: oxpool
    static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


class Prometheus:
    """Ready when constructed; scrapes a port of the loopback address every second."""

    def __init__(self, port, rule_files=()):
        self.directory = tempfile.mkdtemp(prefix="oxpool-prometheus-", dir="/tmp")
        self.address = f"127.0.0.1:{free_tcp_port()}"
        config = os.path.join(self.directory, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(port=port, rule_files=json.dumps(list(rule_files))))
        self.process = Process(
            [
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={self.directory}/data",
                f"--web.listen-address={self.address}",
                "--log.level=warn",
            ],
            os.path.join(self.directory, "log"),
            cwd=self.directory,
        )
        wait_until(self._ready, what="Prometheus to be ready")

    def _ready(self):
        assert self.process.running(), self.process.log_text()
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=WATCHDOG_SECONDS) as answer:
                return answer.status == 200
        except OSError:
            return False

    def get(self, path, **parameters):
        """The `data` of an answer of its API."""
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=WATCHDOG_SECONDS) as answer:
            return json.load(answer)["data"]

    def wait_for_scrape(self):
        """Waits for the first scrape; fails with its error when it failed."""

        def scraped():
            targets = self.get("targets")["activeTargets"]
            for target in targets:
                assert target["health"] != "down", target["lastError"]
            return targets and targets[0]["health"] == "up"

        wait_until(scraped, what="the first scrape")

    def query(self, expression):
        """[(labels, value)] of an instant vector."""
        result = self.get("query", query=expression)["result"]
        return [(series["metric"], float(series["value"][1])) for series in result]

    def end(self):
        self.process.end()
        shutil.rmtree(self.directory, ignore_errors=True)
