"""A worker that is killed gives its connection to the next in the queue, and the server never counts one more."""

import resource

from servers.waiting import wait_until

MANY_FILES = min(16000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)


def test_the_next_waiter_gets_the_connection_of_a_killed_holder(php, counting_server):
    holder = php.commander(max=1, server=counting_server.address)
    waiter = php.commander(max=1, server=counting_server.address)
    holder.ask("acquire")
    waiter.begin("acquire")
    watcher = php.commander(max=1)
    watcher.wait_for_stats(inUse=1, waiting=1)
    assert not waiter.answered()

    holder.kill()

    assert waiter.finish() == 1
    assert counting_server.state() == {"open": 1, "peak": 1, "accepted": 2}
    watcher.wait_for_stats(inUse=1, idle=0, waiting=0)


def test_every_connection_of_a_killed_worker_comes_back(php, counting_server):
    holder = php.commander(max=4, server=counting_server.address)
    for _ in range(4):
        holder.ask("acquire")
    holder.ask("release")  # one of the four is idle
    waiters = [php.commander(max=4, server=counting_server.address) for _ in range(6)]
    for waiter in waiters[:4]:
        waiter.begin("acquire")
    watcher = php.commander(max=4)
    wait_until(lambda: holder.ask("stats")["waiting"] >= 3, what="three waiters")

    holder.kill()

    for waiter in waiters[:4]:
        waiter.finish()
    assert counting_server.state()["peak"] == 4
    for waiter in waiters[4:]:  # and they queue as before
        waiter.begin("acquire")
    watcher.wait_for_stats(inUse=4, waiting=2)
    for waiter in waiters[:2]:
        waiter.ask("release")
        waiter.kill()
    for waiter in waiters[4:]:
        waiter.finish()
    assert counting_server.state()["peak"] == 4


def test_a_killed_worker_is_buried_though_nobody_waits(daemon, php):
    holder = php.commander(max=3)
    for _ in range(3):
        holder.ask("acquire")
    holder.ask("release")
    watcher = php.commander(max=3)
    watcher.wait_for_stats(inUse=2, idle=1)

    holder.kill()

    watcher.wait_for_stats(inUse=0, idle=0, size=0)
    daemon.wait_for_log("buried")


def test_a_unit_is_granted_only_when_the_dead_one_s_socket_is_closed(php, counting_server):
    """A worker with many open files takes a while to die; the kernel closes the lowest number last: its connection."""
    watcher = php.commander(max=1)
    for _ in range(10):
        holder = php.commander(max=1, server=counting_server.address, openFiles=MANY_FILES)
        holder.ask("acquire")
        waiter = php.commander(max=1, server=counting_server.address)
        waiter.begin("acquire")
        watcher.wait_for_stats(inUse=1, waiting=1)

        holder.kill()

        waiter.finish()
        assert counting_server.state()["peak"] == 1
        waiter.ask("release")
        waiter.ask("evict")


def test_a_killed_waiter_leaves_the_queue(php):
    holder = php.commander(max=1)
    holder.ask("acquire")
    first = php.commander(max=1)
    first.begin("acquire")
    holder.wait_for_stats(waiting=1)
    second = php.commander(max=1)
    second.begin("acquire")
    holder.wait_for_stats(waiting=2)

    first.kill()
    holder.ask("release")

    second.finish()
    second.wait_for_stats(inUse=1, waiting=0)


def test_a_worker_killed_while_it_connects_gives_its_unit_back(php, counting_server):
    """The unit is taken before the factory is entered; here the server never answers, so the factory never returns."""
    counting_server.process.stop_running()
    minting = php.commander(max=1, server=counting_server.address)
    minting.begin("acquire")
    watcher = php.commander(max=1)
    wait_until(lambda: watcher.ask("tryAcquire") is False, what="the factory to be entered")
    waiter = php.commander(max=1)
    waiter.begin("acquire")
    watcher.wait_for_stats(waiting=1)

    minting.kill()

    waiter.finish()
