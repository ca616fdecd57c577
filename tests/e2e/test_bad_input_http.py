"""HTTP clients that do not behave: each gets an exact answer or the door, and the daemon stays what it was."""

import json
import socket
import time

import pytest

from servers.waiting import WATCHDOG_SECONDS, wait_until


def connect(daemon):
    client = socket.create_connection(("127.0.0.1", daemon.http_port), timeout=WATCHDOG_SECONDS)
    return client


def answer_to(daemon, request):
    """Everything that comes back until the daemon hangs up."""
    with connect(daemon) as client:
        client.sendall(request)
        text = b""
        try:
            while part := client.recv(65536):
                text += part
        except ConnectionResetError:  # it closed while we still sent
            pass
        return text.decode("utf-8", "replace")


def get(target, method="GET", more=""):
    return f"{method} {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{more}\r\n".encode("latin-1")


REFUSALS = {
    "garbage": (bytes(range(256)) * 2 + b"\r\n\r\n", 400),
    "half a line": (b"GET\r\n\r\n", 400),
    "no version": (b"GET /healthz\r\n\r\n", 400),
    "another version": (b"GET /healthz HTTP/3.0\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 200 + b"\r\n\r\n", 400),
    "no path": (get("healthz"), 400),
    "asterisk": (get("*"), 400),
    "unknown path": (get("/__ox_shared"), 404),
    "path with dots": (get("/../../etc/passwd"), 404),
    "path with escapes": (get("/%2e%2e/%00"), 404),
    "post": (get("/metrics", "POST"), 405),
    "delete": (get("/__ox_shared/entry?id=1", "DELETE"), 405),
    "options": (get("*", "OPTIONS"), 405),
    "body": (get("/metrics", more="Content-Length: 3\r\n") + b"abc", 413),
    "endless body": (get("/metrics", more="Content-Length: 99999999999999\r\n"), 413),
    "two lengths": (get("/metrics", more="Content-Length: 1\r\nContent-Length: 2\r\n"), 400),
    "long target": (get("/" + "x" * 3000), 414),
    "longer target": (get("/" + "x" * 100_000), 414),
    "long header": (get("/metrics", more="X: " + "x" * 20_000 + "\r\n"), 431),
    "many headers": (get("/metrics", more="X: y\r\n" * 5000), 431),
    "id 0": (get("/__ox_shared/entry?id=0"), 400),
    "negative id": (get("/__ox_shared/entry?id=-1"), 400),
    "huge id": (get("/__ox_shared/entry?id=99999999999999999999999"), 400),
    "unknown id": (get("/__ox_shared/entry?id=4711"), 404),
    "id twice": (get("/__ox_shared/entry?id=1&id=1"), 400),
    "bad escape": (get("/__ox_shared/entry?id=%"), 400),
    "unknown parameter": (get("/metrics?debug=1"), 400),
    "limit beyond": (get("/__ox_shared/entries?limit=501"), 400),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_have_their_status_and_a_sentence(daemon, case):
    request, status = REFUSALS[case]
    answer = answer_to(daemon, request)
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} "), answer
    assert "Content-Type: application/json" in head
    assert len(json.loads(body)["error"]) > 10
    assert daemon.http_get("/healthz")[0] == 200


def test_head_has_no_body(daemon):
    for path in ("/metrics", "/__ox_shared/summary", "/healthz", "/nowhere"):
        head, _, body = answer_to(daemon, get(path, "HEAD")).partition("\r\n\r\n")
        assert "Content-Length: " in head
        assert body == ""


def test_a_connection_is_kept(daemon):
    with connect(daemon) as client:
        for _ in range(50):
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(65536).endswith(b"alive\n")


def test_a_thousand_open_connections_do_not_keep_a_health_check_out(daemon):
    clients = [connect(daemon) for _ in range(1000)]
    for client in clients[::2]:
        try:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHos")
        except OSError:
            pass  # it made room already
    for _ in range(20):
        assert daemon.http_get("/healthz")[:2] == (200, "alive\n")
    assert daemon.http_get("/metrics")[0] == 200
    for client in clients:
        client.close()


def test_slow_requests_are_cut_off(daemon):
    """Bytes that come one at a time keep a connection open for 5 s and no longer."""
    began = time.monotonic()
    clients = [connect(daemon) for _ in range(40)]
    open_clients = list(clients)

    def drip():
        for client in list(open_clients):
            try:
                client.sendall(b"G")
                client.setblocking(False)
                if client.recv(1) == b"":
                    open_clients.remove(client)
            except BlockingIOError:
                pass
            except OSError:
                open_clients.remove(client)
        assert daemon.http_get("/healthz")[0] == 200
        return not open_clients

    wait_until(drip, what="slow clients to be cut off", poll_seconds=0.2)
    assert time.monotonic() - began > 4, "not before their time"
    for client in clients:
        client.close()


def test_clients_that_read_nothing_do_not_fill_the_memory(daemon, php):
    for i in range(20):
        php.commander(name=f"some pool {i}")

    def resident():
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

    before = resident()
    clients = [connect(daemon) for _ in range(60)]
    for client in clients:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
    assert daemon.http_get("/metrics")[0] == 200
    assert resident() - before < 100 * 1024
    for client in clients:
        client.close()


def test_clients_that_hang_up_at_any_point(daemon):
    request = get("/metrics")
    for length in range(1, len(request)):
        with connect(daemon) as client:
            client.sendall(request[:length])
    for _ in range(50):
        with connect(daemon) as client:
            client.sendall(request)
    assert daemon.http_get("/metrics")[0] == 200
    assert daemon.process.running()
