"""Runtime directories that oxpoold refuses: exit 1 and one sentence with the path, what is wrong, and what to do."""

import os
import subprocess

import pytest

from conftest import needs_root
from servers.artifacts import REPOSITORY
from servers.process import Process, run_to_end
from servers.sentence import assert_sentence, last_line
from servers.waiting import wait_until


def assert_refused(done, *parts):
    assert done.returncode == 1, done
    assert done.stdout == ""
    assert_sentence(last_line(done.stderr), *parts)


def file_system_of(path):
    return subprocess.check_output(["stat", "-f", "-c", "%T", path], text=True).strip()


@pytest.fixture
def disk_directory(make_directory):
    """A directory that is not on tmpfs."""
    for parent in ("/tmp", "/var/tmp", REPOSITORY):
        if os.access(parent, os.W_OK) and file_system_of(parent) != "tmpfs":
            return make_directory(parent)
    pytest.skip("every writable directory here is on tmpfs")


def test_missing(make_daemon, make_directory):
    path = os.path.join(make_directory(), "nobody", "made", "this")
    assert_refused(make_daemon(runtime_dir=path).run_to_end(), path, "does not exist", "create", "--runtime-dir")


def test_not_a_directory(make_daemon, make_directory):
    path = os.path.join(make_directory(), "file")
    with open(path, "w", encoding="ascii"):
        pass
    assert_refused(make_daemon(runtime_dir=path).run_to_end(), path, "not a directory")


def test_missing_one_is_made_where_its_parent_is(make_daemon, make_directory, make_php):
    daemon = make_daemon(runtime_dir=os.path.join(make_directory(), "made")).start()
    assert make_php(daemon.runtime_dir).commander().ask("use", 1) == 1


def test_path_too_long_for_a_socket(make_daemon, make_directory):
    path = os.path.join(make_directory(), "x" * 120)
    assert_refused(make_daemon(runtime_dir=path).run_to_end(), path, "too long", "--runtime-dir")
    assert not os.path.exists(path)


@needs_root
def test_not_writable(make_daemon, make_directory):
    path = make_directory(mode=0o755)
    done = make_daemon(runtime_dir=path, user="nobody").run_to_end()
    assert_refused(done, path, "not writable", "uid 65534", ("chown", "chmod"), "--runtime-dir")


def test_not_on_tmpfs(make_daemon, disk_directory):
    assert_refused(make_daemon(runtime_dir=disk_directory).run_to_end(), disk_directory, "tmpfs", "--allow-disk")
    assert os.listdir(disk_directory) == [], "a refused start left something behind"


def test_not_on_tmpfs_but_allowed(make_daemon, make_php, disk_directory):
    daemon = make_daemon(runtime_dir=disk_directory, arguments=["--allow-disk"]).start()
    commander = make_php(daemon.runtime_dir).commander()
    assert commander.ask("use", 3) == 3
    assert daemon.stop() == 0


def test_second_daemon_on_the_same_directory(daemon, make_daemon, php):
    second = make_daemon(runtime_dir=daemon.runtime_dir)
    assert_refused(second.run_to_end(), daemon.runtime_dir, "another oxpoold", daemon.process.pid, "--runtime-dir")
    assert php.commander().ask("use", 1) == 1, "the first daemon must not notice"


def test_a_dead_daemon_does_not_block_the_directory(daemon, make_daemon, make_php):
    daemon.kill()
    second = make_daemon(runtime_dir=daemon.runtime_dir).start()
    assert make_php(second.runtime_dir).commander().ask("use", 1) == 1


def test_listening_address_in_use(daemon, make_daemon):
    second = make_daemon()
    second.http_port = daemon.http_port
    assert_refused(second.run_to_end(), f"127.0.0.1:{daemon.http_port}", "in use", "--http")


@pytest.mark.parametrize("argument", ["--no-such-option", "--log-level=loudest", "--http=nowhere", "surplus"])
def test_usage_errors_exit_2(artifacts, argument):
    done = run_to_end([artifacts.oxpoold, argument])
    assert done.returncode == 2, done
    assert argument.rpartition("=")[2] in done.stderr


ROOM_FOR_ONE = "32m"  # for a segment of the default sizes, but not for two


def with_own_tmpfs(directory, size):
    """A wrapper command: what it runs, and nobody else, sees a tmpfs of that size on the directory."""
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    if run_to_end([*unshare, "true"]).returncode != 0:
        pytest.skip("mount namespaces are not to be had here")
    mount = 'mount -t tmpfs -o "size=$0,mode=755" oxpool-small "$1" && shift && exec "$@"'
    return [*unshare, "sh", "-c", mount, size, directory]


def test_full(make_daemon, make_directory):
    """A tmpfs too small for a segment."""
    directory = make_directory()
    daemon = make_daemon(runtime_dir=directory, wrapper=with_own_tmpfs(directory, "64k"))
    assert_refused(daemon.run_to_end(), directory, "needs", "bytes", "free", ("enlarge", "[limits]"))


HOLE_AND_FULL = """
import os, subprocess, sys
directory, segment = sys.argv[1], sys.argv[2]
subprocess.run(["fallocate", "--punch-hole", "--offset", "0", "--length", "4096", segment], check=True)
with open(os.path.join(directory, "fill"), "wb", buffering=0) as fill:
    try:
        while True:
            fill.write(bytes(4096))
    except OSError:
        pass
"""


@needs_root
def test_a_left_segment_with_a_hole_that_can_not_be_filled(make_daemon, make_directory, make_php):
    """Reading it would be a SIGBUS. The daemon says so of that namespace, and serves."""
    directory = make_directory()
    outer = make_daemon(runtime_dir=directory, wrapper=with_own_tmpfs(directory, ROOM_FOR_ONE)).start()
    inside = ["nsenter", "--mount", f"--target={outer.process.pid}", "--"]
    assert make_php(directory, wrapper=inside).commander().ask("use", 1) == 1
    # A process that keeps the mount while no daemon runs.
    keeper = Process([*inside, "sleep", "1000"], outer.log_path)
    try:
        inside = ["nsenter", "--mount", f"--target={keeper.pid}", "--"]
        wait_until(lambda: run_to_end([*inside, "test", "-d", directory + "/segments"]).returncode == 0)
        assert outer.stop() == 0
        segments = run_to_end([*inside, "find", directory + "/segments", "-type", "f"]).stdout.split()
        assert len(segments) == 1
        assert run_to_end([*inside, "python3", "-c", HOLE_AND_FULL, directory, segments[0]]).returncode == 0
        second = make_daemon(runtime_dir=directory, wrapper=inside).start_unready()
        second.wait_for_log("segment not adopted")
        second.wait_for_log("there is no room for its header")
        second.wait_for_log("ready")
        assert second.process.running()
    finally:
        keeper.end()


@needs_root
def test_room_for_one_segment_but_not_for_two(make_daemon, make_directory, make_php):
    """The second namespace can not be had; its workers are told why, and those of the first are not disturbed."""
    directory = make_directory()
    config = '[namespaces.one]\nusers = ["root"]\n[namespaces.two]\nusers = ["root"]\n'
    daemon = make_daemon(config=config, runtime_dir=directory, wrapper=with_own_tmpfs(directory, ROOM_FOR_ONE)).start()
    php = make_php(directory, wrapper=["nsenter", "--mount", "--target", daemon.process.pid, "--"])
    one = php.commander(ini={"oxpool.namespace": "one"})
    assert one.ask("use", 1) == 1

    name, message = php.attach_error(ini={"oxpool.namespace": "two"})

    assert name in ("OxPHP\\Shared\\SharedException", "OxPHP\\Shared\\CapacityException")
    assert_sentence(message, directory, "two", "bytes", ("enlarge", "[limits]", "room"))
    assert one.ask("use", 1) == 2
    assert daemon.http_get("/readyz")[0] == 200
