"""The admin interface as any gRPC client sees it: health, reflection, statuses, limits."""

import subprocess
import sys

import pytest

from servers.artifacts import REPOSITORY
from servers.waiting import wait_until

grpc = pytest.importorskip("grpc")


@pytest.fixture(scope="session")
def admin_pb2(tmp_path_factory):
    """The messages of admin.proto as Python classes."""
    folder = tmp_path_factory.mktemp("proto")
    subprocess.run(
        ["protoc", f"--proto_path={REPOSITORY}/proto", f"--python_out={folder}", "oxpool/admin/v1/admin.proto"], check=True
    )
    sys.path.insert(0, str(folder))
    try:
        from oxpool.admin.v1 import admin_pb2 as made
    finally:
        sys.path.remove(str(folder))
    return made


class Admin:
    def __init__(self, address, messages):
        self.messages = messages
        # A connection of its own: one carries 256 calls at a time.
        self.channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])

    def call(self, method, request=None, timeout=20, **fields):
        request = request or getattr(self.messages, method + "Request")(**fields)
        answer = getattr(self.messages, method + "Response")
        return self.channel.unary_unary(
            f"/oxpool.admin.v1.Admin/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )(request, timeout=timeout)

    def raw(self, path, request, timeout=20):
        return self.channel.unary_unary(path)(request, timeout=timeout)

    def watch(self, **fields):
        return self.channel.unary_stream(
            "/oxpool.admin.v1.Admin/WatchPools",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=self.messages.PoolsSnapshot.FromString,
        )(self.messages.WatchPoolsRequest(**fields))

    def end(self):
        self.channel.close()


@pytest.fixture
def admin(daemon, admin_pb2, ended):
    return ended(Admin("unix:" + daemon.admin_socket(), admin_pb2))


def refused(code):
    return pytest.raises(grpc.RpcError, match=code)


def test_health(daemon, admin):
    health = "/grpc.health.v1.Health/Check"
    assert admin.raw(health, b"") == b"\x08\x01", "SERVING"
    with refused("NOT_FOUND"):
        admin.raw(health, b"\x0a\x03abc")


def test_reflection_names_the_services(admin):
    reflect = admin.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
    answers = reflect(iter([b"\x3a\x00"]))  # list_services
    first = next(answers)
    assert b"oxpool.admin.v1.Admin" in first and b"grpc.health.v1.Health" in first
    by_symbol = next(reflect(iter([b"\x22\x15oxpool.admin.v1.Admin"])))
    assert b"WatchPools" in by_symbol


def test_statuses(admin, php):
    php.commander("db", max=2)
    for fields in ({}, {"pool": {"id": 0}}, {"pool": {"id": 2**63}}, {"pool": {"name": b"x" * 256}}):
        with refused("INVALID_ARGUMENT"):
            admin.call("GetPool", **fields)
    with refused("NOT_FOUND"):
        admin.call("GetPool", pool={"name": b"\xff\x00"})
    for size in (0, -1, 8193, -(2**63), 2**63 - 1):
        with refused("INVALID_ARGUMENT"):
            admin.call("ResizePool", pool={"name": b"db"}, max_size=size)
    with refused("INVALID_ARGUMENT"):
        admin.call("ResizePool", pool={"name": b"db"})
    for fields in ({}, {"mode": 77}, {"mode": 1, "for_ms": -1}, {"mode": 1, "for_ms": 2**63 - 1}):
        with refused("INVALID_ARGUMENT"):
            admin.call("PausePool", pool={"name": b"db"}, **fields)
    for method in ("EvictPool", "DrainPool", "ResumePool"):
        with refused("INVALID_ARGUMENT"):
            admin.call(method)
    with refused("INVALID_ARGUMENT"):
        admin.call("ListPools", page_size=2**31)
    with refused("INVALID_ARGUMENT"):
        admin.call("ResetMutex")
    with refused("NOT_FOUND"):
        admin.call("ResetMutex", mutex={"name": b"lock"})
    for interval in (1, 99, 60_001, 2**32 - 1):
        with refused("INVALID_ARGUMENT"):
            next(admin.watch(interval_ms=interval))
    with refused("NOT_FOUND"):
        next(admin.watch(pool={"id": 77}))
    assert [pool.max_size for pool in admin.call("ListPools").pools] == [2]


def test_pages(admin, php):
    php.run("for ($i = 0; $i < 25; $i++) { $p[] = new OxPHP\\Shared\\Pool(factory: fn () => new stdClass(), name: \"p$i\"); }")
    seen, after = [], 0
    while True:
        page = admin.call("ListPools", page_size=10, after_id=after)
        assert len(page.pools) <= 10
        seen += [pool.id for pool in page.pools]
        after = page.next_after_id
        if after == 0:
            break
    assert len(seen) == 25 and seen == sorted(set(seen))


def test_nonsense_and_giants(daemon, admin):
    for method in ("GetPool", "ResizePool", "EvictPool"):
        with pytest.raises(grpc.RpcError):
            admin.raw(f"/oxpool.admin.v1.Admin/{method}", b"\xff" * 100)
    with refused("RESOURCE_EXHAUSTED"):
        admin.raw("/oxpool.admin.v1.Admin/GetPool", b"\x0a" * (1 << 20))
    with refused("UNIMPLEMENTED"):
        admin.raw("/oxpool.admin.v1.Admin/Nothing", b"")
    with refused("INVALID_ARGUMENT"):
        next(admin.channel.unary_stream("/oxpool.admin.v1.Admin/WatchPools")(b"\xff" * 10))
    assert daemon.process.running() and list(admin.call("ListPools").pools) == []


def test_a_call_that_is_cancelled_stops_waiting(daemon, admin, php):
    worker = php.commander("db")
    worker.ask("acquire")
    request = admin.messages.PausePoolRequest(pool={"name": b"db"}, mode=1, wait=True)
    call = admin.channel.unary_unary(
        "/oxpool.admin.v1.Admin/PausePool", request_serializer=lambda message: message.SerializeToString()
    ).future(request)
    wait_until(lambda: admin.call("GetPool", pool={"name": b"db"}).pool.gate == admin.messages.GATE_WAIT)
    call.cancel()
    assert admin.call("ResumePool", all=True).resumed == 1
    assert daemon.process.running()


def test_watchers_come_and_go(daemon, admin, php):
    php.commander("db")
    streams = [admin.watch(interval_ms=100) for _ in range(50)]
    for stream in streams:
        assert [pool.name for pool in next(stream).pools] == [b"db"]
    assert admin.call("GetServerInfo").watchers == 50
    for stream in streams[:49]:
        stream.cancel()
    wait_until(lambda: admin.call("GetServerInfo").watchers == 1)
    assert next(streams[49]).pools
    streams[49].cancel()
    wait_until(lambda: admin.call("GetServerInfo").watchers == 0)


def test_there_are_so_many_watchers(daemon, admin_pb2, ended):
    connections = [ended(Admin("unix:" + daemon.admin_socket(), admin_pb2)) for _ in range(3)]
    streams = [connections[number % 3].watch(interval_ms=60_000) for number in range(512)]
    for stream in streams:
        next(stream)
    with refused("RESOURCE_EXHAUSTED"):
        next(connections[0].watch())
    for stream in streams:
        stream.cancel()
    wait_until(lambda: connections[0].call("GetServerInfo").watchers == 0)
    assert next(connections[0].watch()).taken_us > 0


def test_a_reflection_that_is_left_open_does_not_hold_up_the_end(make_daemon, admin_pb2, ended):
    daemon = make_daemon(config="[limits]\nshutdown_deadline_ms = 500\n").start()
    admin = ended(Admin("unix:" + daemon.admin_socket(), admin_pb2))

    def silence():
        yield b"\x3a\x00"
        wait_until(lambda: not daemon.process.running())

    reflect = admin.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
    answers = reflect(silence())
    assert next(answers)
    assert daemon.stop() == 0


def test_server_info(daemon, admin, php):
    php.commander("db")
    info = admin.call("GetServerInfo")
    assert info.pid == daemon.process.pid and info.ready and info.runtime_dir == daemon.runtime_dir
    assert info.sessions == 1 and len(info.namespaces) == 1 and info.namespaces[0].pools.used == 1
    assert info.namespaces[0].bytes > 0 and info.new_segment_bytes > 0 and info.directory_free_bytes > 0
