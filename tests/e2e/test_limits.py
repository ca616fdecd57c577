"""Whatever is full says so in one sentence, to the worker or in the log, and once there is room, work goes on."""

import json
import os
import re
import socket
import subprocess

import pytest

from servers.fake_daemon import ABI_MAJOR, STATUS_OK, hello, read_reply
from servers.process import Process
from servers.sentence import assert_sentence
from servers.waiting import WATCHDOG_SECONDS, wait_until

STATUS_FULL = 5
ATTACHED_AT_ONCE = 2000


def small(make_daemon, **tables):
    """A daemon whose segments have at most so many records of a kind."""
    return make_daemon(config="[limits]\n" + "".join(f"{key} = {value}\n" for key, value in tables.items())).start()


def assert_full(error, *parts):
    name, message = error
    assert name == "OxPHP\\Shared\\CapacityException", error
    assert_sentence(message, *parts)


def use_of_a_new_worker(php):
    """None, when a worker can not attach at the moment."""
    done = php.run(
        """
        try {
            $pool = new OxPHP\\Shared\\Pool(factory: fn() => new stdClass, maxSize: 1, name: 'room');
            echo $pool->with(fn() => 'used');
        } catch (OxPHP\\Shared\\SharedException) { }
        """
    )
    return done.stdout == "used"


@pytest.mark.parametrize("table, words", [("processes", "process records"), ("lanes", "lanes")])
def test_no_more_workers(make_daemon, make_php, table, words):
    """One record is the daemon's, two are for workers."""
    php = make_php(small(make_daemon, **{table: 3}).runtime_dir)
    first, second = php.commander("one"), php.commander("two")

    assert_full(php.attach_error(), words, f"limits.{table}")
    assert (first.ask("use", 1), second.ask("use", 1)) == (1, 1), "who is in goes on"

    second.kill()
    wait_until(lambda: use_of_a_new_worker(php), what="room for a new worker")


MAKE_POOLS = """
$make = fn(string $name) => new OxPHP\\Shared\\Pool(factory: fn() => new stdClass, maxSize: 32, name: $name);
$pools = [$make('one'), $make('two')];
try {
    $make('three');
    $error = ['', 'made'];
} catch (Throwable $e) {
    $error = [get_class($e), $e->getMessage()];
}
$used = $pools[0]->with(fn() => 1) + $pools[1]->with(fn() => 1);
array_pop($pools);
$pools[] = $make('three');
echo json_encode([$error, $used, $pools[1]->with(fn() => 1)]);
"""


@pytest.mark.parametrize(
    "table, words", [("pools", "pool records"), ("seats", "seats"), ("chunks", ("slots", "maxSize"))]
)
def test_no_more_pools(make_daemon, make_php, table, words):
    done = make_php(small(make_daemon, **{table: 2}).runtime_dir).run(MAKE_POOLS)
    assert done.returncode == 0, done.stdout + done.stderr
    error, used_before, used_after = json.loads(done.stdout)
    assert_full(error, "three", "capacity exceeded", words, f"limits.{table}")
    assert used_before == 2, "the pools that are there go on"
    assert used_after == 1, "a pool that is dropped makes room"


def test_no_more_slots_for_a_pool_that_grows(make_daemon, make_php):
    """Two chunks have 64 slots; another worker wants more of the same pool."""
    php = make_php(small(make_daemon, chunks=2).runtime_dir)
    first = php.commander("grown", max=64)
    with pytest.raises(Exception, match="capacity exceeded.*limits.chunks"):
        php.commander("grown", max=65)
    assert first.ask("use", 1) == 1
    assert first.stats()["maxSize"] == 64


def attach(daemon):
    """A worker as the daemon sees one, and what it was told."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(WATCHDOG_SECONDS)
    client.connect(daemon.client_socket())
    client.sendall(hello(ABI_MAJOR))
    return client, read_reply(client)


def with_descriptors(make_daemon, number):
    return make_daemon(wrapper=["prlimit", f"--nofile={number}:{number}", "--"]).start()


def test_no_more_descriptors_for_workers(make_daemon, make_php):
    daemon = with_descriptors(make_daemon, 80)
    clients = []
    try:
        while True:
            assert len(clients) < 80, "the daemon has more descriptors than it was given"
            client, answer = attach(daemon)
            clients.append(client)
            if answer["status"] != STATUS_OK:
                break
        assert answer["status"] == STATUS_FULL
        assert_sentence(answer["message"], "file descriptors", "LimitNOFILE")
        daemon.wait_for_log("short of file descriptors")
        assert daemon.http_get("/healthz")[0] == 200
    finally:
        for client in clients:
            client.close()
    php = make_php(daemon.runtime_dir)
    wait_until(lambda: use_of_a_new_worker(php), what="room for a new worker")


def test_no_descriptor_at_all_is_logged_and_passes(make_daemon, make_php):
    """Silent strangers take the last one; each is hung up on after its time."""
    daemon = with_descriptors(make_daemon, 64)
    strangers = []
    try:
        for _ in range(80):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(WATCHDOG_SECONDS)
            client.connect(daemon.client_socket())
            strangers.append(client)
        said = daemon.wait_for_log("accept failed")
        assert "Too many open files" in said
        php = make_php(daemon.runtime_dir)
        wait_until(lambda: use_of_a_new_worker(php), what="strangers to be hung up on")
    finally:
        for client in strangers:
            client.close()
    assert daemon.log_text().count("accept failed") < 10, "the log is not flooded"


def told_of(daemon, line, sum_line):
    """How many events the log tells of, one by one or in sums."""
    log = daemon.log_text()
    sums = re.findall(rf"{sum_line} namespace=\S+ count=(\d+) within_s=\d+$", log, re.MULTILINE)
    return len(re.findall(line, log)) + sum(map(int, sums))


@pytest.mark.slow
def test_two_thousand_workers(daemon, php, artifacts):
    program = os.path.join(artifacts.build, "bin", "oxpoold_attachments")
    if not os.path.exists(program):
        pytest.skip(f"{program} is not built")
    hard_limit = int(subprocess.check_output(["sh", "-c", "ulimit -Hn | sed s/unlimited/1000000/"], text=True))
    if hard_limit < 3 * ATTACHED_AT_ONCE:
        pytest.skip(f"{hard_limit} descriptors are too few")
    worker = php.commander()
    crowd = Process([program, daemon.runtime_dir, ATTACHED_AT_ONCE, 20, 3600], os.path.join(daemon.directory, "crowd"))
    try:
        wait_until(
            lambda: told_of(daemon, "worker attached", "more workers attached") > ATTACHED_AT_ONCE,
            120,
            "all to be attached",
        )
        assert worker.ask("use", 100) == 100
        assert use_of_a_new_worker(php), "one more comes in"
        assert daemon.http_get("/healthz")[0] == 200
    finally:
        crowd.kill()
    wait_until(
        lambda: told_of(daemon, "worker buried", "more workers with(?:out)? slots buried") > ATTACHED_AT_ONCE,
        120,
        "all of them to be buried",
        0.1,
    )
    assert len(daemon.log_text().splitlines()) < ATTACHED_AT_ONCE / 10, "the log is not flooded"
    assert worker.ask("use", 100) == 200
    assert use_of_a_new_worker(php)
