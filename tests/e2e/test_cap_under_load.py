"""24 workers on one pool, seen by the server they connect to: never above the cap, nobody left out, no error."""

import json

import pytest

from servers.waiting import wait_until

WORKERS = 24


def hammer(php, server, seconds, **options):
    """Starts the workers, lets them begin together, and returns what each one reports."""
    slowness = {"factoryMs": 20, "destroyMs": 20, "holdUs": 500}
    options = {"name": "hammer", "server": server.address, "seconds": seconds, **slowness, **options}
    workers = [php.worker("hammer.php", options) for _ in range(WORKERS)]
    for worker in workers:
        assert worker.read_line() == "ready", worker.log_text()
    for worker in workers:
        worker.send_line("go")
    # A worker that is served last may still wait for its turn when the time is up: the watchdog allows for that.
    return [json.loads(worker.read_line(seconds + 60) or worker.log_text()) for worker in workers]


@pytest.mark.slow
@pytest.mark.parametrize("cap", [1, 4, 8])
def test_the_server_never_counts_more_than_the_cap(php, make_counting_server, cap):
    # The server notices hang-ups 10 ms late, as a real one may: a slot is free only once it did. On a machine with other
    # work it may be very late, so the promise is tested without its limit.
    server = make_counting_server(close_late_ms=10)
    reports = hammer(php, server, seconds=10, max=cap, closeWaitMs=10_000)

    assert [report["errors"] for report in reports] == [[]] * WORKERS
    peak = server.state()["peak"]
    assert peak <= cap, f"{peak} connections were open at once"
    assert peak == cap, f"only {peak} of {cap} connections were ever open at once"
    uses = [report["uses"] for report in reports]
    assert min(uses) >= 0.5 * sum(uses) / WORKERS, f"not a fair share for everybody: {sorted(uses)}"
    wait_until(lambda: server.state()["open"] == 0, what="the workers to have closed everything")


def test_a_short_burst_stays_below_the_cap(php, make_counting_server):
    """The same in little, for the inner loop; it says nothing about shares."""
    server = make_counting_server(close_late_ms=10)
    reports = hammer(php, server, seconds=1, max=4, closeWaitMs=10_000)
    assert [report["errors"] for report in reports] == [[]] * WORKERS
    assert server.state()["peak"] == 4


def test_the_measure_sees_one_connection_too_many(php, make_counting_server):
    """Proves that the tests above can fail: two pools of 4 are 8 connections to this server."""
    server = make_counting_server()
    one = php.commander(name="one", max=4, server=server.address)
    other = php.commander(name="other", max=4, server=server.address)
    for _ in range(4):
        one.ask("acquire")
        other.ask("acquire")
    assert server.state()["peak"] == 8


def test_idle_connections_count_against_the_cap(php, counting_server):
    """What one worker has idle is closed there before another worker opens one in its place."""
    rich = php.commander(max=2, server=counting_server.address)
    poor = php.commander(max=2, server=counting_server.address)
    for _ in range(2):
        rich.ask("acquire")
    for _ in range(2):
        rich.ask("release")
    poor.begin("acquire")
    wait_until(lambda: (rich.stats(), poor.answered())[1], what="the idle worker to give way")
    poor.finish()
    assert counting_server.state()["peak"] == 2
