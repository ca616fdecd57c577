"""A living owner is never taken for dead, whatever PHP code does to descriptors and processes."""

import signal
import time

from servers.waiting import wait_until

ODDITIES = [
    "nothing",
    "duplicates_and_closes_them",
    "opens_them_anew",
    "forks_and_the_child_exits",
    "forks_and_the_child_is_killed",
    "forks_and_the_child_execs",
    "runs_programs",
    "closes_its_session",
]
EVERY_TOKEN_IS_ASKED_WITHIN_S = 5


def test_whatever_it_does_it_keeps_its_connection(daemon, php, make_counting_server):
    """All at once: each has a pool and a server of its own, and somebody who waits for its connection."""
    servers = {oddity: make_counting_server() for oddity in ODDITIES}
    owners = {}
    waiters = {}
    for oddity, server in servers.items():
        owners[oddity] = php.worker("odd_liver.php", {"name": oddity, "server": server.address, "oddity": oddity})
        assert owners[oddity].read_line() == "did it", owners[oddity].log_text()
        waiters[oddity] = php.commander(name=oddity, max=1, server=server.address)
        waiters[oddity].begin("acquire")
    owners["nothing"].stop_running()

    time.sleep(EVERY_TOKEN_IS_ASKED_WITHIN_S + 2)

    watcher = {oddity: php.commander(name=oddity, max=1) for oddity in ODDITIES}
    for oddity, owner in owners.items():
        assert not waiters[oddity].answered(), f"{oddity}: its connection was given to another one"
        assert watcher[oddity].stats()["inUse"] == 1, oddity
        assert f"pid={owner.pid} " not in "".join(
            line for line in daemon.log_text().splitlines() if "worker buried" in line
        ), oddity
    owners["nothing"].send_signal(signal.SIGCONT)
    for oddity, owner in owners.items():
        owner.send_line("give it back")
        assert owner.read_line() == "gave it back", f"{oddity}: {owner.log_text()}"
        assert waiters[oddity].finish() == 1
        assert servers[oddity].state()["peak"] == 1, oddity
    for owner in owners.values():
        owner.send_line("end")
        wait_until(lambda owner=owner: not owner.running(), what="its end")
