"""The daemon comes and goes; workers that are attached go on."""

import os
import signal
import socket

import pytest

from servers.sentence import assert_sentence
from servers.waiting import wait_until

SHOP_IS_OURS = f"[namespaces.shop]\nusers = [{os.geteuid()}]\n"


class Busy:
    """Workers that acquire and release without pause until they are told to stop."""

    def __init__(self, php, workers, cap, server):
        options = {"name": "busy", "max": cap, "server": server.address}
        self.workers = [php.worker("busy.php", options) for _ in range(workers)]
        for worker in self.workers:
            assert worker.read_line() == "0", worker.log_text()

    def wait_for_progress(self):
        """Returns once every worker was served anew."""
        asked = []
        for worker in self.workers:
            worker.send_line("uses")
            asked.append(int(worker.read_line()))
        for worker, before in zip(self.workers, asked):

            def further(worker=worker, before=before):
                worker.send_line("uses")
                return int(worker.read_line()) > before

            wait_until(further, what=f"pid {worker.pid} to be served once more (so far {before})")


@pytest.fixture
def busy(php, counting_server):
    return Busy(php, workers=6, cap=2, server=counting_server)


def test_sigterm_ends_it_with_0_while_workers_go_on(daemon, busy, counting_server):
    busy.wait_for_progress()
    assert daemon.stop() == 0
    busy.wait_for_progress()
    assert counting_server.state()["peak"] == 2


def test_sigterm_when_clients_do_not_read(daemon):
    """Nobody's silence keeps it from ending."""
    strangers = [socket.socket(socket.AF_UNIX) for _ in range(8)]
    for stranger in strangers:
        stranger.connect(daemon.client_socket())
    assert daemon.stop() == 0
    for stranger in strangers:
        stranger.close()


def test_sigint_ends_it_too(daemon):
    daemon.process.send_signal(signal.SIGINT)
    assert daemon.process.wait() == 0


def test_restart_adopts_the_segment_and_workers_go_on(daemon, php, busy, counting_server):
    commander = php.commander(name="kept", max=3)
    number = commander.ask("id")
    commander.ask("acquire")
    busy.wait_for_progress()

    daemon.stop()
    busy.wait_for_progress()
    daemon.restart()
    busy.wait_for_progress()

    newcomer = php.commander(name="kept", max=3)
    assert newcomer.ask("id") == number
    assert newcomer.stats() == {"inUse": 1, "idle": 0, "waiting": 0, "size": 1, "maxSize": 3}
    commander.ask("release")
    newcomer.wait_for_stats(inUse=0)
    assert counting_server.state()["peak"] == 2


def test_the_cap_holds_over_a_restart_for_old_and_new_workers_together(daemon, php, counting_server):
    old = php.commander(max=2, server=counting_server.address)
    old.ask("acquire")
    daemon.kill()
    daemon.restart()
    new = php.commander(max=2, server=counting_server.address)
    assert new.ask("tryAcquire") is True
    assert new.ask("tryAcquire") is False
    assert old.ask("tryAcquire") is False
    assert counting_server.state()["peak"] == 2


def test_a_worker_that_died_while_the_daemon_was_down_is_buried_by_the_next(daemon, php, counting_server):
    holder = php.commander(max=1, server=counting_server.address)
    holder.ask("acquire")
    daemon.kill()
    holder.kill()
    daemon.restart()
    assert php.commander(max=1, server=counting_server.address).ask("acquire") == 1
    assert counting_server.state()["peak"] == 1


def test_killed_daemon_while_workers_hold_and_wait(daemon, php, counting_server):
    holder = php.commander(max=1, server=counting_server.address)
    waiter = php.commander(max=1, server=counting_server.address)
    holder.ask("acquire")
    waiter.begin("acquire")
    holder.wait_for_stats(waiting=1)

    daemon.kill()
    assert not waiter.answered()
    holder.ask("release")

    waiter.finish()
    waiter.ask("release")
    holder.begin("acquire")
    wait_until(lambda: (waiter.stats(), holder.answered())[1], what="the hand-over back, without a daemon")
    holder.finish()
    assert counting_server.state()["peak"] == 1


def test_without_a_daemon_a_waiter_buries_the_holder_it_waits_for(daemon, php, counting_server):
    holder = php.commander(max=1, server=counting_server.address)
    waiter = php.commander(max=1, server=counting_server.address)
    holder.ask("acquire")
    waiter.begin("acquire")
    holder.wait_for_stats(waiting=1)

    daemon.kill()
    holder.kill()

    waiter.finish()
    assert counting_server.state()["peak"] == 1


def test_idle_connections_are_closed_after_their_time(php, counting_server):
    """The daemon's scheduler flags them, their owner closes them at its next call."""
    commander = php.commander(max=2, idleTimeoutMs=50, server=counting_server.address)
    commander.ask("use", 1)
    assert counting_server.state()["open"] == 1
    commander.wait_for_stats(idle=0, size=0)
    wait_until(lambda: counting_server.state()["open"] == 0, what="the idle connection to be closed")


def test_reload_with_a_good_configuration(make_daemon, make_php):
    daemon = make_daemon(config="").start()
    php = make_php(daemon.runtime_dir)
    assert "shop" in php.attach_error(ini={"oxpool.namespace": "shop"})[1]
    daemon.write_config(SHOP_IS_OURS)
    before = len(daemon.log_text())
    daemon.reload()
    daemon.wait_for_log("reload", after=before)
    assert php.commander(ini={"oxpool.namespace": "shop"}).ask("use", 1) == 1


def test_reload_with_a_bad_configuration_keeps_the_old_one(make_daemon, make_php):
    daemon = make_daemon(config=SHOP_IS_OURS).start()
    php = make_php(daemon.runtime_dir)
    commander = php.commander(max=2, ini={"oxpool.namespace": "shop"})
    daemon.write_config("[namespaces.shop]\nusers = 12\n")
    before = len(daemon.log_text())
    daemon.reload()
    news = daemon.wait_for_log(daemon.config_path, after=before)
    line = next(line for line in news.split("\n") if daemon.config_path in line)
    assert_sentence(line, "users", "2", ("keep", "kept"))
    assert daemon.http_get("/readyz")[0] == 200
    assert commander.ask("use", 1) == 1
    assert php.commander(max=2, ini={"oxpool.namespace": "shop"}).ask("use", 1) == 1
