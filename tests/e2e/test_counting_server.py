"""The measure itself: a server that counted wrongly would prove nothing."""

import signal
import socket

from servers.waiting import wait_until


def connect(server):
    client = socket.create_connection(("127.0.0.1", server.port))
    client.sendall(b"x")
    assert client.recv(1) == b"x"
    return client


def test_counts_what_is_open_and_keeps_the_peak(counting_server):
    clients = [connect(counting_server) for _ in range(5)]
    assert counting_server.state() == {"open": 5, "peak": 5, "accepted": 5}
    for client in clients[:3]:
        client.close()
    wait_until(lambda: counting_server.state()["open"] == 2, what="the hang-ups to be counted")
    assert counting_server.state() == {"open": 2, "peak": 5, "accepted": 5}
    assert counting_server.reset_peak()["peak"] == 2
    for client in clients:
        client.close()


def test_hang_up_before_the_next_connect_is_never_counted_twice(counting_server):
    for _ in range(500):
        client = connect(counting_server)
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""  # the server hung up, as a closing slot waits for
        client.close()
    assert counting_server.state()["peak"] == 1
    assert counting_server.state()["accepted"] == 500


def test_a_connection_closed_without_waiting_is_gone_for_the_next_one(counting_server):
    for _ in range(500):
        connect(counting_server).close()  # as the kernel does for a killed process
    assert counting_server.state()["peak"] == 1


def test_a_late_server_counts_until_it_hangs_up(make_counting_server):
    server = make_counting_server(close_late_ms=50)
    first = connect(server)
    first.shutdown(socket.SHUT_WR)
    second = connect(server)  # before the server hung up on the first
    assert first.recv(1) == b""
    assert server.state()["peak"] == 2, "the first should still have been counted"
    second.close()


def test_the_order_of_events_survives_a_stall_of_the_server(counting_server):
    first = [connect(counting_server) for _ in range(5)]
    counting_server.process.stop_running()
    for client in first:
        client.close()
    second = [socket.create_connection(("127.0.0.1", counting_server.port)) for _ in range(5)]
    counting_server.process.send_signal(signal.SIGCONT)
    wait_until(lambda: counting_server.state()["accepted"] == 10, what="the server to accept the second five")
    assert counting_server.state() == {"open": 5, "peak": 5, "accepted": 10}
    for client in second:
        client.close()
