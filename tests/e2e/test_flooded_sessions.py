"""Attached workers that send bytes as fast as they can: the daemon's time is not theirs."""

import os
import select
import socket
import struct
import time

from servers.fake_daemon import ABI_MAJOR, HELLO_MAGIC
from servers.matrix import note_figure

SESSIONS = 64
FLOOD_SECONDS = 3


def attach(daemon):
    session = socket.socket(socket.AF_UNIX)
    session.connect(os.path.join(daemon.runtime_dir, "client.sock"))
    hello = struct.pack(
        "=6IQ2Qq64s32s", HELLO_MAGIC, 152, ABI_MAJOR, 0, 1, 0, 0, 0, 0, time.monotonic_ns(), b"", b"flood"
    )
    session.sendall(hello)
    reply, descriptors, _, _ = socket.recv_fds(session, 632, 2)
    assert struct.unpack_from("=I", reply, 16)[0] == 0, reply
    session.setblocking(False)
    return session, descriptors


def metric(daemon, name):
    return float(next(line for line in daemon.http_get("/metrics")[1].splitlines() if line.startswith(f"{name} ")).split()[1])


def test_a_flood_of_bytes_costs_the_daemon_little(daemon, php):
    attached = [attach(daemon) for _ in range(SESSIONS)]
    sessions = [session for session, _ in attached]
    try:
        began, used = time.monotonic(), metric(daemon, "oxpool_cpu_seconds_total")
        sent = 0
        while time.monotonic() - began < FLOOD_SECONDS:
            _, writable, _ = select.select([], sessions, [], 0.01)
            for session in writable:
                try:
                    sent += session.send(b"w" * 4096)
                except BlockingIOError:
                    pass
        share = (metric(daemon, "oxpool_cpu_seconds_total") - used) / (time.monotonic() - began)
        note_figure(f"flood by {SESSIONS} sessions: {sent} bytes taken in {FLOOD_SECONDS} s, {100 * share:.1f} % of a core")
        assert all(session.recv(1, socket.MSG_PEEK) for session in select.select(sessions, [], [], 0)[0])
        assert metric(daemon, "oxpool_sessions") >= SESSIONS
        # Read as fast as they come it is a whole core.
        assert share < 0.3
        done = php.run("echo (new OxPHP\\Shared\\Pool(fn () => new stdClass()))->with(fn () => 'served');")
        assert done.stdout == "served", done
    finally:
        for session, descriptors in attached:
            session.close()
            for descriptor in descriptors:
                os.close(descriptor)
