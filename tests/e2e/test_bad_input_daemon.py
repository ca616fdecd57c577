"""What strangers on client.sock can do to the daemon: nothing. Each is answered or hung up on; others are served."""

import os
import socket

import pytest

from servers.fake_daemon import ABI_MAJOR, HELLO_BYTES, REPLY_MAGIC, STATUS_ABI, STATUS_OK, hello, read_reply
from servers.waiting import WATCHDOG_SECONDS, wait_until


def connect(daemon):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(WATCHDOG_SECONDS)
    client.connect(daemon.client_socket())
    return client


def served(daemon, php):
    """The daemon lives and still attaches workers."""
    assert daemon.process.running(), daemon.log_text()
    return php.commander().ask("use", 1) == 1


def test_the_hello_of_these_tests_is_understood(daemon):
    """Proves that the refusals below are refusals of what they name."""
    with connect(daemon) as client:
        client.sendall(hello(ABI_MAJOR))
        answer = read_reply(client)
    assert answer["magic"] == REPLY_MAGIC
    assert answer["status"] == STATUS_OK, answer


def test_a_client_of_another_version_is_told_both(daemon, php):
    with connect(daemon) as client:
        client.sendall(hello(999))
        answer = read_reply(client)
    assert answer["status"] == STATUS_ABI
    assert answer["abi_major"] == ABI_MAJOR
    assert "999" in answer["message"] and str(ABI_MAJOR) in answer["message"], answer
    assert served(daemon, php)


BAD_HELLOS = {
    "garbage": bytes(range(256)) * 4,
    "wrong_magic": hello(1, magic=0x12345678),
    "impossible_size": hello(1, size=7),
    "huge_size": hello(1, size=0xFFFFFFFF),
    "http": b"GET / HTTP/1.1\r\n\r\n".ljust(HELLO_BYTES, b"x"),
    "no_end_of_the_namespace": hello(1)[:-96] + b"n" * 96,
}


@pytest.mark.parametrize("case", BAD_HELLOS)
def test_a_bad_hello_is_refused(daemon, php, case):
    with connect(daemon) as client:
        client.sendall(BAD_HELLOS[case])
        try:
            answer = read_reply(client)
        except ConnectionResetError:
            answer = None
    assert answer is None or answer["status"] != STATUS_OK, answer
    assert served(daemon, php)


@pytest.mark.parametrize("sent", [b"", hello(1)[:10]], ids=["nothing", "part_of_a_hello"])
def test_a_client_that_does_not_finish_its_hello_is_hung_up_on(daemon, php, sent):
    with connect(daemon) as client:
        client.sendall(sent)
        assert served(daemon, php), "others do not wait for it"
        try:
            answer = read_reply(client)  # comes at the daemon's deadline; the socket's own timeout is the watchdog
        except ConnectionResetError:
            answer = None
        assert answer is None or answer["status"] != STATUS_OK


def test_many_strangers_at_once_do_not_keep_workers_out(daemon, php):
    strangers = [connect(daemon) for _ in range(64)]
    try:
        assert served(daemon, php)
    finally:
        for stranger in strangers:
            stranger.close()


def test_strangers_leave_no_descriptors_in_the_daemon(daemon, php):
    def descriptors():
        return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))

    assert served(daemon, php)
    php.end()
    before = descriptors()
    for data in [*BAD_HELLOS.values(), b"", hello(999)]:
        with connect(daemon) as client:
            client.sendall(data)
    wait_until(lambda: descriptors() <= before, what=f"the daemon to close what strangers opened (before: {before})")
