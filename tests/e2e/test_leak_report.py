"""A resource that is in use for too long is reported with the line of code that acquired it."""

import re

LEAKER = """
use OxPHP\\Shared\\Pool;
$pool = new Pool(factory: fn () => new stdClass(), maxSize: 2, name: 'leaky', leakAfterMs: 200);
function take(Pool $pool) {
    return $pool->acquire();
}
$handles = [take($pool), $pool->tryAcquire()];
echo "taken\\n";
fgets(STDIN);
$handles[0]->release();
echo "released\\n";
fgets(STDIN);
"""


def leaker(php, tmp_path, code=LEAKER):
    script = tmp_path / "leaker.php"
    script.write_text("<?php" + code)
    worker = php.worker(str(script), {})
    assert worker.read_line() == "taken", worker.log_text()
    return script, worker


def test_a_leak_is_reported_once_with_its_line_and_once_more_when_it_is_back(daemon, php, tmp_path):
    script, worker = leaker(php, tmp_path)
    daemon.wait_for_log(f'acquired_at="{script}:7"')
    log = daemon.wait_for_log(f'acquired_at="{script}:5"')
    reports = [line for line in log.splitlines() if "slot leaked" in line]
    assert len(reports) == 2, log
    for report in reports:
        assert 'pool="leaky"' in report and f"pid={worker.pid}" in report
        assert re.search(rf"worker={worker.pid}/\d+ held_ms=(2|3|4|5)\d\d ", report), report

    worker.send_line("release")
    assert worker.read_line() == "released"
    log = daemon.wait_for_log("slot returned")
    returned = [line for line in log.splitlines() if "slot returned" in line]
    assert len(returned) == 1, log
    assert int(re.search(r"held_ms=(\d+)", returned[0]).group(1)) >= 200
    assert len([line for line in daemon.log_text().splitlines() if "slot leaked" in line]) == 2, "each holding once"


def test_short_holdings_are_not_reported(daemon, php, tmp_path):
    _, worker = leaker(
        php,
        tmp_path,
        """
        $pool = new OxPHP\\Shared\\Pool(factory: fn () => new stdClass(), maxSize: 1, name: 'busy', leakAfterMs: 200);
        for ($i = 0; $i < 100; $i++) {
            $pool->with(fn () => usleep(10_000));
        }
        $other = new OxPHP\\Shared\\Pool(factory: fn () => new stdClass(), maxSize: 1, name: 'without');
        $handle = $other->acquire();
        usleep(500_000);
        echo "taken\\n";
        """,
    )
    worker.wait()
    assert "slot leaked" not in daemon.log_text()
