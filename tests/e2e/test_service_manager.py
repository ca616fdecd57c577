"""What systemd is told (sd_notify) and what a load balancer asks (/healthz, /readyz)."""

import glob
import os
import socket

import pytest

from servers.waiting import WATCHDOG_SECONDS, wait_until


class NotifySocket:
    """The end of NOTIFY_SOCKET that systemd would hold."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o666)
        self.socket.settimeout(WATCHDOG_SECONDS)

    def wait_for(self, assignment):
        """Reads until a message has this line, and returns all of them."""
        seen = []
        while True:
            seen += self.socket.recv(4096).decode().split("\n")
            if assignment in seen:
                return seen

    def end(self):
        self.socket.close()


@pytest.fixture
def notify(make_directory, ended):
    return ended(NotifySocket(make_directory("/tmp")))


def test_ready_and_stopping(make_daemon, notify):
    daemon = make_daemon(environment={"NOTIFY_SOCKET": notify.path}).start_unready()
    notify.wait_for("READY=1")
    assert daemon.http_get("/readyz")[0] == 200, "ready was said before it was"
    assert daemon.stop() == 0
    notify.wait_for("STOPPING=1")


def test_watchdog_is_fed(make_daemon, notify):
    daemon = make_daemon(environment={"NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "400000"}).start()
    for _ in range(3):
        notify.wait_for("WATCHDOG=1")
    assert daemon.process.running()


def test_watchdog_is_not_fed_when_nobody_asks(make_daemon, notify):
    daemon = make_daemon(environment={"NOTIFY_SOCKET": notify.path}).start()
    daemon.stop()
    assert "WATCHDOG=1" not in notify.wait_for("STOPPING=1")


def test_a_refused_start_never_says_ready(make_daemon, notify):
    daemon = make_daemon(config="colour = 1\n", environment={"NOTIFY_SOCKET": notify.path})
    assert daemon.run_to_end().returncode == 1
    notify.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        notify.wait_for("READY=1")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health(daemon, path):
    status, body, headers = daemon.http_get(path)
    assert status == 200
    assert body.strip()
    assert headers["Cache-Control"] == "no-store"


def test_unknown_page(daemon):
    assert daemon.http_get("/nothing-here")[0] == 404


def test_http_can_be_off(make_daemon, make_php):
    daemon = make_daemon(http=False).start_unready()
    wait_until(lambda: os.path.exists(daemon.client_socket()), what="client.sock")
    assert make_php(daemon.runtime_dir).commander().ask("use", 1) == 1
    assert daemon.http_get("/readyz")[0] == 0


@pytest.mark.parametrize("damage", [os.remove, lambda path: os.truncate(path, 0)], ids=["unlinked", "truncated"])
def test_readyz_fails_when_a_segment_in_use_is_damaged(daemon, php, damage):
    php.commander().ask("use", 1)
    (segment,) = glob.glob(f"{daemon.runtime_dir}/segments/*")

    damage(segment)

    wait_until(lambda: daemon.http_get("/readyz")[0] == 503, what="/readyz to notice")
    assert os.path.basename(segment) in daemon.http_get("/readyz")[1], "a namespace's segment has its name"
    assert daemon.http_get("/healthz")[0] == 200
    daemon.wait_for_log(segment)
    assert "segment" in php.attach_error()[1], "never a second segment beside a live one"
    assert glob.glob(f"{daemon.runtime_dir}/segments/*") in ([], [segment])
