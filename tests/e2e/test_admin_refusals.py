"""What oxpoolctl can not do, it says in one sentence: what, which value, and the way out; and the daemon stays up."""

import contextlib
import json
import os
import signal
import socket
import stat

import pytest

from conftest import needs_root
from servers.sentence import assert_sentence, last_line
from servers.waiting import wait_until


def test_no_daemon(make_ctl, make_directory):
    directory = make_directory()
    ctl = make_ctl(directory)
    result = ctl.refused("list", parts=["not running", directory, "--runtime-dir"])
    assert result.stdout == ""
    result = ctl.refused("--json", "list", parts=["not running"])
    assert json.loads(result.stdout)["error"]["code"] == "UNAVAILABLE"


def test_a_socket_that_a_killed_daemon_left(daemon, ctl):
    daemon.kill()
    assert os.path.exists(daemon.admin_socket())
    ctl.refused("list", parts=["not running", "earlier"])
    daemon.restart()
    assert ctl.json("list") == {"pools": []}


def test_the_runtime_directory_from_the_environment(daemon, make_ctl):
    ctl = make_ctl(None, environment={"OXPOOL_RUNTIME_DIR": daemon.runtime_dir})
    assert ctl.json("list") == {"pools": []}


def test_unknown_pools(ctl, php):
    php.commander("payments")
    for verb in (["stats"], ["holders"], ["waiters"], ["evict"], ["pause"], ["resume"], ["drain"], ["watch"]):
        ctl.refused(*verb, "paymnets", parts=["paymnets", 'did you mean "payments"?'])
        ctl.refused(*verb, "4711", parts=["4711", "list"])
        ctl.refused(*verb, "0", parts=["id is 0"])
        ctl.refused(*verb, "99999999999999999999", parts=["99999999999999999999"])
        ctl.refused(*verb, "9007199254740992", parts=["9007199254740992"])
    ctl.refused("resize", "nope", 5, parts=["nope"])
    ctl.refused("mutex", "reset", "lock", parts=["no mutex named", "lock"])
    ctl.refused("mutex", "reset", "7", parts=["no mutex with id 7"])
    ctl.refused("stats", "x" * 256, parts=["256 bytes", "255"])


def test_sizes_that_are_none(daemon, ctl, php):
    php.commander("db", max=4)
    for size in ("0", "-5", "many", "99999999999999999999", "1.5", ""):
        assert ctl.usage("resize", "db", size)
    ctl.refused("resize", "db", 8193, parts=["8193", "8192"])
    ctl.refused("resize", "db", 2**62, parts=[2**62])
    assert ctl.json("stats", "db")["max_size"] == 4
    assert daemon.process.running()


def test_growth_beyond_the_room(make_daemon, make_ctl, make_php):
    daemon = make_daemon(config="[limits]\nchunks = 2\n").start()
    make_php(daemon.runtime_dir).commander("db", max=4)
    ctl = make_ctl(daemon.runtime_dir)
    result = ctl.refused("--json", "resize", "db", 200, parts=["200", "6 more chunks", "1 of 2", "limits.chunks"])
    assert json.loads(result.stdout)["error"]["code"] == "RESOURCE_EXHAUSTED"
    assert ctl.json("stats", "db")["max_size"] == 4


def test_usage(ctl):
    for arguments in ([], ["nonsense"], ["evict"], ["evict", "x", "--all"], ["resize", "x"], ["pause"], ["holders"],
                      ["resize", "x", "5", "--unset"], ["pause", "x", "--for", "-1"], ["completion", "tcsh"],
                      ["list", "--timeout", "soon"], ["mutex"], ["top", "--sort", "luck"]):
        assert ctl.usage(*arguments)
    assert "POOL is a name" in ctl.done("--help")
    assert "oxpoolctl" in ctl.done("--version")


def test_intervals_out_of_bounds(ctl):
    ctl.refused("watch", "--interval", "10ms", parts=["interval_ms is 10", "100"])
    ctl.refused("watch", "--interval", "2h", parts=["7200000", "60000"])


@needs_root
def test_without_permission(daemon, ctl):
    result = ctl.refused("list", parts=["permission denied", daemon.admin_socket(), "access.admin_group"], user="nobody")
    assert result.stdout == ""
    ctl.refused("wait", parts=["permission denied"], user="nobody")
    doctor = ctl.run("--json", "doctor", user="nobody")
    assert doctor.returncode == 1
    assert [finding["code"] for finding in json.loads(doctor.stdout)["findings"]] == ["permission_denied"]
    assert daemon.process.running()


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@needs_root
def test_a_group_is_let_in_by_the_configuration(make_daemon, make_ctl):
    daemon = make_daemon(config='[access]\nadmin_group = "nogroup"\n').start()
    assert mode_of(daemon.admin_socket()) == 0o660
    assert make_ctl(daemon.runtime_dir, user="nobody").json("list") == {"pools": []}
    make_ctl(daemon.runtime_dir).refused("list", parts=["permission denied"], user="www-data")


def test_the_mode_of_the_socket(make_daemon):
    daemon = make_daemon().start()
    assert mode_of(daemon.admin_socket()) == 0o600
    daemon.stop()
    assert not os.path.exists(daemon.admin_socket())
    daemon.write_config('[access]\nadmin_mode = "0666"\n')
    daemon.restart()
    assert mode_of(daemon.admin_socket()) == 0o666


def test_another_path_and_none(make_daemon, make_ctl, make_directory):
    path = os.path.join(make_directory(), "elsewhere.sock")
    daemon = make_daemon(arguments=["--admin", f"unix:{path}"]).start()
    assert not os.path.exists(daemon.admin_socket())
    assert make_ctl(None, options=["--admin", f"unix:{path}"]).json("list") == {"pools": []}
    off = make_daemon(arguments=["--admin", "off"]).start()
    make_ctl(off.runtime_dir).refused("list", parts=["not running there", off.admin_socket()])


def test_a_path_that_somebody_serves_is_not_taken(make_daemon, make_ctl, make_directory):
    path = os.path.join(make_directory(), "admin.sock")
    first = make_daemon(arguments=["--admin", f"unix:{path}"]).start()
    done = make_daemon(arguments=["--admin", f"unix:{path}"]).run_to_end()
    assert done.returncode == 1
    assert_sentence(last_line(done.stderr), path, "another program listens", "--admin")
    assert make_ctl(None, options=["--admin", f"unix:{path}"]).json("list") == {"pools": []}
    assert first.process.running()


def test_a_path_that_is_no_socket_is_left_alone(make_daemon, make_directory):
    path = os.path.join(make_directory(), "file")
    with open(path, "w", encoding="utf-8") as file:
        file.write("precious")
    done = make_daemon(arguments=["--admin", f"unix:{path}"]).run_to_end()
    assert done.returncode == 1
    assert_sentence(last_line(done.stderr), path, "no socket")
    with open(path, encoding="utf-8") as file:
        assert file.read() == "precious"


@pytest.mark.parametrize("address", ["127.0.0.1", "unix:relative", "nonsense", "localhost:1", ""])
def test_addresses_that_are_none(make_daemon, address):
    done = make_daemon(arguments=["--admin", address]).run_to_end()
    assert done.returncode == 2
    assert "unix:" in done.stderr


def test_a_thousand_silent_connections(daemon, ctl):
    silent = []
    try:
        for _ in range(1000):
            one = socket.socket(socket.AF_UNIX)
            silent.append(one)
            one.settimeout(10)
            one.connect(daemon.admin_socket())
        assert ctl.json("list") == {"pools": []}
        assert daemon.http_get("/readyz")[0] == 200
    finally:
        for one in silent:
            one.close()
    assert ctl.json("list") == {"pools": []}


def test_nonsense_on_the_socket(daemon, ctl):
    for nonsense in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100_000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 1000):
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(10)
            one.connect(daemon.admin_socket())
            try:
                one.sendall(nonsense)
                while one.recv(4096):
                    pass
            except OSError:
                pass
    assert ctl.json("list") == {"pools": []}
    assert daemon.process.running()


def test_a_daemon_that_hangs_is_given_up_on(daemon, ctl):
    daemon.process.stop_running()
    try:
        ctl.refused("list", "--timeout", "500ms", parts=["did not answer within 500ms", "--timeout"])
        doctor = ctl.run("--json", "doctor", "--timeout", "500ms")
        assert json.loads(doctor.stdout)["findings"][0]["code"] == "daemon_silent"
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    assert ctl.json("list") == {"pools": []}


def test_a_daemon_that_accepts_nobody_is_given_up_on(daemon, ctl):
    """Its queue of connections is full: even connecting would wait for ever."""
    daemon.process.stop_running()
    queue = []
    try:
        with contextlib.suppress(BlockingIOError):
            while True:
                one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
                queue.append(one)
                one.connect(daemon.admin_socket())
        ctl.refused("list", "--timeout", "500ms", parts=["accepts nobody", "--timeout"])
    finally:
        for one in queue:
            one.close()
        daemon.process.send_signal(signal.SIGCONT)
    wait_until(lambda: ctl.run("list").returncode == 0)


def test_wait(make_daemon, make_ctl):
    daemon = make_daemon()
    ctl = make_ctl(daemon.runtime_dir)
    ctl.refused("wait", "--timeout", "300ms", parts=["waited 300ms", "not running"])
    waiting = ctl.begin("wait")
    daemon.start()
    assert waiting.wait() == 0
    ctl.done("wait")


def test_the_end_of_the_daemon_ends_calls_and_streams(daemon, ctl, php):
    worker = php.commander("db")
    worker.ask("acquire")
    watch = ctl.begin("--json", "watch", "--interval", "100ms")
    assert watch.read_line()
    waiting = ctl.begin("--json", "pause", "db", "--wait", "--timeout", "30s")
    wait_until(lambda: ctl.json("stats", "db")["gate"] == "wait")
    assert daemon.stop() == 0
    line = "{}"
    while "error" not in json.loads(line):
        line = watch.read_line()
    for error in (json.loads(line)["error"], json.loads(waiting.read_line())["error"]):
        assert error["code"] == "UNAVAILABLE" and "oxpoold is stopping" in error["message"]
    assert watch.wait() == 1
    assert waiting.wait() == 1
    assert worker.ask("release") == 0, "workers go on"
