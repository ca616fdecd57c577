"""The admin interface over TCP: with certificates on both sides, or not at all."""

import os
import socket

import pytest

from servers.certificates import Certificates
from servers.oxpoold import free_tcp_port
from servers.sentence import assert_sentence, last_line


@pytest.fixture
def certificates(tmp_path):
    made = Certificates(str(tmp_path))
    made.make("daemon", host="127.0.0.1")
    made.make("client")
    return made


@pytest.fixture
def address():
    return f"127.0.0.1:{free_tcp_port()}"


def assert_refused(done, *parts):
    assert done.returncode == 1, done
    assert_sentence(last_line(done.stderr), *parts)


def test_with_certificates_on_both_sides(make_daemon, make_ctl, make_php, certificates, address):
    daemon = make_daemon(config=f'admin = "{address}"\n' + certificates.daemon_config()).start()
    assert not os.path.exists(daemon.admin_socket()), "there or here, not both"
    assert f'admin="{address}"' in daemon.log_text()
    make_php(daemon.runtime_dir).commander("db", max=2)
    ctl = make_ctl(None, options=["--admin", address, *certificates.client_options()])
    assert [pool["name"] for pool in ctl.json("list")["pools"]] == ["db"]
    assert ctl.json("resize", "db", 5)["pool"]["max_size"] == 5
    assert ctl.done("watch", "--count", "2", "--interval", "100ms")
    ctl.done("wait")
    daemon.stop()
    ctl.refused("list", parts=[address, "can not be reached"])


def test_who_has_no_certificate_of_that_authority_gets_nothing(make_daemon, make_ctl, certificates, address):
    daemon = make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).start()
    certificates.authority("strangers")
    certificates.make("stranger", authority="strangers")
    stranger = make_ctl(None, options=["--admin", address, *certificates.client_options("stranger")])
    stranger.refused("list", "--timeout", "5s", parts=[address, "certificates"])
    wrong_server = make_ctl(None, options=["--admin", address, *certificates.client_options(authority="strangers")])
    wrong_server.refused("list", "--timeout", "5s", parts=[address, "certificates"])
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=10) as plain:
        plain.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        try:
            assert plain.recv(4096) in (b"", b"\x15\x03\x01\x00\x02\x02F"), "an alert at most"
        except ConnectionResetError:
            pass
    assert make_ctl(None, options=["--admin", address, *certificates.client_options()]).json("list") == {"pools": []}
    assert daemon.process.running()


def test_a_name_in_the_certificate_that_is_not_the_hosts(make_daemon, make_ctl, certificates, address):
    certificates.make("daemon", host="oxpoold.example")
    make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).start()
    options = ["--admin", address, *certificates.client_options()]
    make_ctl(None, options=options).refused("list", "--timeout", "5s", parts=["certificates"])
    assert make_ctl(None, options=[*options, "--tls-name", "oxpoold.example"]).json("list") == {"pools": []}


def test_the_client_needs_all_three_files(make_ctl, certificates, address):
    make_ctl(None, options=["--admin", address]).refused("list", parts=["--tls-ca", "--tls-key", address])
    options = ["--admin", address, *certificates.client_options()]
    os.unlink(certificates.path("client.key"))
    make_ctl(None, options=options).refused("list", parts=["--tls-key", "client.key", "can not be read"])


def test_tcp_without_certificates_is_refused(make_daemon, address):
    assert_refused(make_daemon(arguments=["--admin", address]).run_to_end(), address, "client certificates",
                   "admin_tls.client_ca")


@pytest.mark.parametrize("spoil, parts", [
    (lambda made: os.unlink(made.path("daemon.pem")), ["admin_tls.certificate", "can not be read", "No such file"]),
    (lambda made: open(made.path("daemon.pem"), "w", encoding="ascii").close(), ["admin_tls.certificate", "PEM"]),
    (lambda made: open(made.path("daemon.key"), "w", encoding="ascii").write("x"), ["admin_tls.key", "PEM"]),
    (lambda made: open(made.path("ca.pem"), "w", encoding="ascii").write("x"), ["admin_tls.client_ca", "PEM"]),
    (lambda made: os.replace(made.path("client.key"), made.path("daemon.key")), ["admin_tls.key", "not the key"]),
])
def test_files_that_are_none(make_daemon, certificates, address, spoil, parts):
    spoil(certificates)
    done = make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).run_to_end()
    assert_refused(done, *parts)


def test_a_port_that_is_taken(make_daemon, certificates, address):
    host, port = address.split(":")
    with socket.create_server((host, int(port))):
        done = make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).run_to_end()
        assert_refused(done, address, "in use", "--admin")


def test_two_daemons_do_not_share_a_port(make_daemon, certificates, address):
    make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).start()
    done = make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).run_to_end()
    assert_refused(done, address, "in use")


def test_failed_handshakes_are_logged_a_few_times_a_minute(make_daemon, certificates, address):
    daemon = make_daemon(arguments=["--admin", address], config=certificates.daemon_config()).start()
    host, port = address.split(":")
    for _ in range(50):
        with socket.create_connection((host, int(port)), timeout=10) as plain:
            plain.sendall(b"nonsense nonsense nonsense")
            try:
                plain.recv(4096)
            except ConnectionResetError:
                pass
    assert daemon.log_text().count("admin connection failed") <= 6
