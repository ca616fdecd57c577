"""Parked slots over what happens to their process, their pool and their daemon."""

import os

import pytest

from servers.persistent import CLIENTS
from servers.waiting import wait_until

DRIVERS = ["pdo_pgsql", "mysqli", "pgsql", "phpredis"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_drained_pool_ends_empty(make_kept, client):
    kept = make_kept(client)
    kept.id()
    kept.ctl.done("drain", "kept")
    kept.site.wait_until_other_pages_make(lambda: kept.size() == 0, "the drained pool to be empty")
    if kept.backend.server:
        assert kept.backend.connections() == 0
    assert kept.said().startswith("OxPHP\\Shared\\ClosedException")


@pytest.mark.parametrize("client", DRIVERS)
def test_idle_timeout(make_kept, client):
    kept = make_kept(client)
    kept.id(pool={"idleTimeoutMs": 200})
    kept.site.wait_until_other_pages_make(lambda: kept.size() == 0, "the idle slot to go")
    assert kept.backend.connections() == 0


@pytest.mark.parametrize("client", CLIENTS)
def test_a_mint_is_counted_once(make_kept, client):
    kept = make_kept(client)
    for _ in range(4):
        kept.id()
    assert "1 mint," in kept.ctl.done("stats", "kept")


def test_a_pool_object_that_goes_leaves_its_slots(make_kept):
    kept = make_kept("pdo_pgsql")
    first = kept.id()
    answer = kept.ask(["id"], ["drop"], ["new"], ["id"], ["size"], ["drop"])
    assert answer["said"] == [first, None, False, first, 1, None]
    assert answer["factory"] == 1
    assert kept.id() == first


def test_by_the_registry(make_kept):
    kept = make_kept("pdo_pgsql")
    first = kept.ask(["registry"])["said"][0]
    assert kept.ask(["registry"])["said"] == [first]
    assert first.isdigit()


def test_a_request_that_has_the_pool_and_does_not_use_it(make_kept):
    kept = make_kept("pdo_pgsql")
    first = kept.id()
    answer = kept.ask(["nothing"])
    assert answer["factory"] == 0
    assert kept.id() == first


@pytest.mark.parametrize("client", CLIENTS)
def test_sweep_and_warm(make_kept, client):
    kept = make_kept(client, ini={"redis.pconnect.pooling_enabled": 0})
    assert kept.ask(["warm", 2], ["idle"])["said"] == [2, 2]
    assert kept.ask(["sweep", 1], ["idle"])["said"] == [0, 2]
    assert kept.ask(["sweep", 0])["said"][0] >= 1
    kept.wait_until_gone("sweep()")


@pytest.mark.parametrize("used", [False, True], ids=["parked", "idle"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_forked_child_says_no_goodbye(make_kept, client, used):
    """The child's end must not close what its parent has parked, or has idle."""
    kept = make_kept(client, built_in=True)
    first = kept.id()
    for _ in range(2):
        assert kept.ask(*([["id"]] if used else []), ["fork"])["said"] == ["the child"]
        assert kept.id() == first
    if kept.backend.server:
        assert kept.backend.connections() == 1


@pytest.mark.parametrize("client", DRIVERS)
def test_a_daemon_with_a_new_segment(make_kept, daemon_for_www, client):
    """This process's life is over there: what it has parked is closed, and it attaches anew."""
    kept = make_kept(client)
    first = kept.id()
    daemon_for_www.kill()
    for folder in ("segments", "locks"):
        path = os.path.join(daemon_for_www.runtime_dir, folder)
        for name in os.listdir(path):
            os.remove(os.path.join(path, name))
    daemon_for_www.start()

    def is_another():
        return kept.id() != first  # the session is looked after at most once a second

    wait_until(is_another, what="a new life")
    assert kept.size() == 1
    wait_until(lambda: kept.backend.connections() == 1, what="the old connection to go")


def test_what_is_held_at_the_end_is_told_of_once(make_kept):
    kept = make_kept("pdo_pgsql")
    for _ in range(2):
        kept.ask(["keep"])
    assert kept.site.log_text().count("was still held when its request ended") == 1
