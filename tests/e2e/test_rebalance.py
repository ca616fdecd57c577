"""What pools do that do not say how their budget moves: as the daemon's configuration has it, from the next turn on."""

import json

from servers.waiting import wait_until

STRICT = '[pools]\nrebalance = "strict"\npatience_ms = 7\n'


def pool_of(daemon, worker):
    return json.loads(daemon.http_get(f"/api/v1/pool?id={worker.ask('id')}")[1])


def strategy(daemon, worker):
    return pool_of(daemon, worker)["settings"]["rebalance_strategy"]


def test_the_configuration_decides_for_pools_that_do_not_say(make_daemon, make_php):
    daemon = make_daemon(config=STRICT).start()
    php = make_php(daemon.runtime_dir)
    silent = php.commander(name="silent", max=1)
    moving = php.commander(name="moving", max=1, pool={"rebalance": "handover", "patienceMs": 0})
    wait_until(lambda: strategy(daemon, silent) == "strict", what="the configuration to be in force")
    assert pool_of(daemon, silent)["settings"]["patience_ms"] == 7
    assert strategy(daemon, moving) == "handover"
    assert pool_of(daemon, moving)["settings"]["patience_ms"] == 0

    daemon.write_config("")
    daemon.reload()
    wait_until(lambda: strategy(daemon, silent) == "handover", what="the reloaded configuration to be in force")
    assert pool_of(daemon, silent)["settings"]["patience_ms"] is None


def test_strict_leaves_an_idle_one_where_it_is(make_daemon, make_php):
    daemon = make_daemon(config=STRICT).start()
    php = make_php(daemon.runtime_dir)
    owner = php.commander(name="db", max=1)
    other = php.commander(name="db", max=1)
    wait_until(lambda: strategy(daemon, owner) == "strict", what="the configuration to be in force")
    owner.ask("acquire")
    owner.ask("release")
    for _ in range(3):
        assert other.ask("tryAcquire") is False
        owner.ask("tick")
    assert pool_of(daemon, owner)["counters"]["evicted"] == dict.fromkeys(pool_of(daemon, owner)["counters"]["evicted"], 0)

    # With hand-over the same call asks for it, and the owner's next look closes it.
    daemon.write_config("")
    daemon.reload()
    wait_until(lambda: strategy(daemon, owner) == "handover", what="the reloaded configuration to be in force")

    def handed_over():
        if other.ask("tryAcquire"):
            return True
        owner.ask("tick")
        return False

    wait_until(handed_over, what="the other worker to get the unit")


def test_a_unit_is_kept_free_where_more_workers_than_units_come(make_daemon, make_php):
    daemon = make_daemon().start()
    php = make_php(daemon.runtime_dir)
    workers = [php.commander(name="crowd", max=2) for _ in range(3)]
    for worker in workers[:2]:
        worker.ask("acquire")
    for worker in workers[:2]:
        worker.ask("release")
    wait_until(lambda: pool_of(daemon, workers[0])["reserve"] == 1, what="the daemon to keep one free")

    def one_is_free():
        for worker in workers[:2]:
            worker.ask("tick")
        return pool_of(daemon, workers[0])["idle"] == 1

    wait_until(one_is_free, what="one of the idle ones to be closed")
    assert workers[2].ask("tryAcquire")
