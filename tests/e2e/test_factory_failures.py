"""A factory that fails: each waiter gets its own exception in time, no unit is lost, and all succeed once it works."""

import json

import pytest

from servers.php import PhpError

FAILING = """
use OxPHP\\Shared\\Pool;
$options = json_decode($argv[1], true);
$pool = new Pool(
    factory: function () use ($options) {
        if (file_exists($options['down'])) {
            usleep(20_000);
            throw new RuntimeException('the database is down for ' . getmypid());
        }
        return new stdClass();
    },
    maxSize: 2,
    name: 'failing',
);
echo "ready\\n";
while (($line = fgets(STDIN)) !== false) {
    $began = hrtime(true);
    try {
        $handle = $pool->acquireTimeout(10_000);
        usleep(5_000);
        $handle->release();
        $outcome = 'served';
    } catch (Throwable $e) {
        $outcome = get_class($e) . ': ' . $e->getMessage();
    }
    echo json_encode([$outcome, (hrtime(true) - $began) / 1e6]), "\\n";
}
"""


def test_each_waiter_gets_its_own_exception_and_nothing_is_lost(php, tmp_path):
    down = tmp_path / "down"
    down.touch()
    script = tmp_path / "failing.php"
    script.write_text("<?php" + FAILING)
    workers = [php.worker(str(script), {"down": str(down)}) for _ in range(10)]
    for worker in workers:
        assert worker.read_line() == "ready", worker.log_text()

    for _ in range(3):
        for worker in workers:
            worker.send_line("acquire")
        for worker in workers:
            outcome, took_ms = json.loads(worker.read_line())
            assert outcome == f"RuntimeException: the database is down for {worker.pid}"
            assert took_ms < 5_000, "ten attempts of 20 ms, two at a time"
    watcher = php.commander(name="failing", max=2)
    watcher.wait_for_stats(inUse=0, idle=0, waiting=0)

    down.unlink()
    for worker in workers:
        worker.send_line("acquire")
    assert [json.loads(worker.read_line())[0] for worker in workers] == ["served"] * 10
    watcher.wait_for_stats(inUse=0, waiting=0)


def test_one_each_and_all_want_a_second(php):
    """N workers hold all N units and each wants another one: each gives up at its deadline, nobody hangs."""
    workers = [php.commander(name="second", max=3) for _ in range(3)]
    for worker in workers:
        worker.ask("acquire")
    for worker in workers:
        worker.begin("acquireTimeout", 300)
    for worker in workers:
        with pytest.raises(PhpError) as refused:
            worker.finish(timeout=20)
        assert refused.value.php_class == "OxPHP\\Shared\\OperationTimeoutException"
    for worker in workers:
        worker.ask("release")
    assert workers[0].stats()["waiting"] == 0


def test_one_who_holds_all_is_told_at_once(php):
    worker = php.commander(name="all", max=3)
    for _ in range(3):
        worker.ask("acquire")
    with pytest.raises(PhpError) as refused:
        worker.ask("acquire", timeout=20)
    assert refused.value.php_class == "OxPHP\\Shared\\DeadlockException"


def test_one_each_and_all_want_a_second_without_limit(php):
    """The last one to wait is told, and when it lets go the others go on one by one."""
    workers = [php.commander(name="ring", max=3) for _ in range(3)]
    for worker in workers:
        worker.ask("acquire")
    for number, worker in enumerate(workers[:2]):
        worker.begin("acquire")
        workers[2].wait_for_stats(waiting=number + 1)
    with pytest.raises(PhpError) as refused:
        workers[2].ask("acquire", timeout=20)
    assert refused.value.php_class == "OxPHP\\Shared\\DeadlockException"
    assert "waits without limit" in refused.value.php_message
    workers[2].ask("release")
    assert workers[0].finish() == 2
    for _ in range(2):
        workers[0].ask("release")
    assert workers[1].finish() == 2


def test_a_ring_over_two_pools_is_told(php, tmp_path):
    script = tmp_path / "ring.php"
    script.write_text(
        """<?php
        [, $options] = $argv;
        [$first, $second] = json_decode($options);
        $make = fn (string $name) => new OxPHP\\Shared\\Pool(factory: fn () => new stdClass(), maxSize: 1, name: $name);
        $pools = [$make($first), $make($second)];
        $one = $pools[0]->acquire();
        echo "has one\n";
        fgets(STDIN);
        try {
            $other = $pools[1]->acquire();
            echo "has both\n";
        } catch (OxPHP\\Shared\\DeadlockException $e) {
            echo "told\n";
        }
        """
    )
    one, other = php.worker(str(script), ["left", "right"]), php.worker(str(script), ["right", "left"])
    for worker in (one, other):
        assert worker.read_line() == "has one", worker.log_text()
    for worker in (one, other):
        worker.send_line("go on")
    assert sorted([one.read_line(20), other.read_line(20)]) == ["has both", "told"]
