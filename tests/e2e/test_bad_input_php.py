"""What PHP code is told when it can not attach: a SharedException of one sentence. Nothing hangs."""

import json
import os
import shutil
import signal

import pytest

from conftest import needs_root
from servers.fake_daemon import ABI_MAJOR, REPLY_BYTES, STATUS_ABI, STATUS_OK, FakeDaemon, reply
from servers.sentence import assert_sentence

SHARED_EXCEPTION = "OxPHP\\Shared\\SharedException"
TIMEOUT_MS = 300
RUNTIME_DIR = ("oxpool.runtime_dir", "runtime directory")
NOT_OXPOOLD = ("not an oxpoold", "not oxpoold")
# Two accounts that every Debian has.
STRANGER, STRANGER_UID = "daemon", "uid 1"
FRIEND = "www-data"


def assert_shared_exception(error, *parts):
    name, message = error
    assert name == SHARED_EXCEPTION, error
    assert_sentence(message, *parts)


def test_no_daemon(make_directory, make_php):
    directory = make_directory()
    assert_shared_exception(make_php(directory).attach_error(), directory, "oxpoold", ("start", "running"))


def test_no_directory(make_directory, make_php):
    directory = os.path.join(make_directory(), "missing")
    assert_shared_exception(make_php(directory).attach_error(), directory, RUNTIME_DIR)


def test_directory_name_too_long_for_a_socket(make_php):
    directory = "/dev/shm/" + "x" * 120
    assert_shared_exception(make_php(directory).attach_error(), "x" * 50, "long", RUNTIME_DIR)


def test_empty_directory_name(make_php):
    assert_shared_exception(make_php("").attach_error(), "oxpool.runtime_dir")


def test_daemon_that_was_killed(daemon, php):
    daemon.kill()
    assert_shared_exception(php.attach_error(), daemon.runtime_dir, "oxpoold", ("start", "running"))


@needs_root
def test_directory_that_this_user_may_not_enter(make_daemon, make_directory, make_php):
    directory = make_directory(mode=0o700)
    make_daemon(runtime_dir=directory).start()
    error = make_php(directory).attach_error(user=STRANGER)
    assert_shared_exception(error, directory, "permission", STRANGER_UID, ("chmod", "enter"))


@needs_root
def test_socket_that_this_user_may_not_open(daemon, php):
    error = php.attach_error(user=STRANGER)
    assert_shared_exception(error, daemon.client_socket(), "permission", STRANGER_UID, "socket_group")


@needs_root
def test_peer_that_the_configuration_does_not_name(make_daemon, make_php):
    daemon = make_daemon(config='[access]\nsocket_mode = "0666"\n').start()
    error = make_php(daemon.runtime_dir).attach_error(user=STRANGER)
    assert_shared_exception(error, daemon.client_socket(), STRANGER_UID, "users", "[access]", daemon.config_path)
    daemon.wait_for_log(STRANGER_UID.replace(" ", "="))  # the operator sees it too


@needs_root
def test_peer_that_the_configuration_names(make_daemon, make_php):
    """Proves that the refusal above is the configuration's doing."""
    daemon = make_daemon(config=f'[access]\nsocket_mode = "0666"\nusers = ["{STRANGER}"]\n').start()
    assert make_php(daemon.runtime_dir).commander(user=STRANGER).ask("use", 2) == 2


@needs_root
def test_group_that_the_configuration_names(make_daemon, make_php):
    daemon = make_daemon(config=f'[access]\nsocket_group = "{FRIEND}"\ngroups = ["{FRIEND}"]\n').start()
    assert make_php(daemon.runtime_dir).commander(user=FRIEND).ask("use", 2) == 2


def test_namespace_that_is_not_configured(php, daemon):
    error = php.attach_error(ini={"oxpool.namespace": "shop"})
    assert_shared_exception(error, "shop", "[namespaces.shop]", "oxpool.namespace", daemon.config_path)


@needs_root
def test_namespace_of_others(make_daemon, make_php):
    config = f"""
[access]
socket_mode = "0666"
users = ["{STRANGER}", "{FRIEND}"]
[namespaces.shop]
users = ["{FRIEND}"]
"""
    php = make_php(make_daemon(config=config).start().runtime_dir)
    error = php.attach_error(ini={"oxpool.namespace": "shop"}, user=STRANGER)
    assert_shared_exception(error, "shop", STRANGER_UID, "users", "[namespaces.shop]")
    assert php.commander(ini={"oxpool.namespace": "shop"}, user=FRIEND).ask("use", 1) == 1


@pytest.mark.parametrize("name", ["n" * 200, "../up", "a/b", "a b"], ids=["too_long", "up", "slash", "space"])
def test_namespace_with_an_impossible_name(php, name):
    assert_shared_exception(php.attach_error(ini={"oxpool.namespace": name}), name[:20], "namespace")


@needs_root
def test_users_have_budgets_of_their_own(make_daemon, make_php):
    daemon = make_daemon(config=f'[access]\nsocket_mode = "0666"\nusers = ["{STRANGER}", "{FRIEND}"]\n').start()
    php = make_php(daemon.runtime_dir)
    one = php.commander(max=1, user=STRANGER)
    other = php.commander(max=1, user=FRIEND)
    one.ask("acquire")
    assert other.ask("tryAcquire") is True, "another uid's pool of the same name must not share its budget"
    assert other.stats()["inUse"] == 1


@needs_root
def test_users_of_one_namespace_share_its_budget(make_daemon, make_php):
    config = f"""
[access]
socket_mode = "0666"
users = ["{STRANGER}", "{FRIEND}"]
[namespaces.shop]
users = ["{STRANGER}", "{FRIEND}"]
"""
    php = make_php(make_daemon(config=config).start().runtime_dir)
    one = php.commander(max=1, user=STRANGER, ini={"oxpool.namespace": "shop"})
    other = php.commander(max=1, user=FRIEND, ini={"oxpool.namespace": "shop"})
    one.ask("acquire")
    assert other.ask("tryAcquire") is False
    one.ask("release")
    one.ask("evict")
    assert other.ask("tryAcquire") is True


def test_daemon_stopped_before_it_answers(daemon, php):
    """SIGSTOP: connect succeeds, since the kernel accepts for it, and then nobody answers."""
    daemon.process.stop_running()
    try:
        error = php.attach_error(ini={"oxpool.connect_timeout_ms": TIMEOUT_MS})
    finally:
        daemon.process.send_signal(signal.SIGCONT)
    assert_shared_exception(error, daemon.runtime_dir, TIMEOUT_MS, "oxpool.connect_timeout_ms")
    assert php.commander().ask("use", 1) == 1, "once it goes on, so do new workers"


def send_and_keep(data):
    def behave(connection):
        connection.recv(4096)
        connection.sendall(data)

    return behave


def send_and_hang_up(data):
    def behave(connection):
        connection.recv(4096)
        connection.sendall(data)
        connection.close()

    return behave


HALF_A_REPLY = reply(ABI_MAJOR, STATUS_OK)[: REPLY_BYTES // 2]
FAKES = {
    "nothing": (send_and_keep(b""), (TIMEOUT_MS, "oxpool.connect_timeout_ms")),
    "half_a_reply": (send_and_keep(HALF_A_REPLY), (TIMEOUT_MS, "oxpool.connect_timeout_ms")),
    "hang_up": (send_and_hang_up(b""), (("closed", "hung up"),)),
    "half_a_reply_and_hang_up": (send_and_hang_up(HALF_A_REPLY), (("closed", "hung up"),)),
    "garbage": (send_and_keep(bytes(range(256)) * 8), (NOT_OXPOOLD,)),
    "http": (send_and_hang_up(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 30), (NOT_OXPOOLD,)),
    "another_abi_refusing": (send_and_keep(reply(999, STATUS_ABI, b"")), ("999", ("version", "abi"))),
    "another_abi_accepting": (send_and_keep(reply(999, STATUS_OK)), ("999", ("version", "abi"))),
    "accepts_without_descriptors": (send_and_keep(reply(ABI_MAJOR, STATUS_OK)), ()),
    "unknown_status": (send_and_keep(reply(ABI_MAJOR, 77)), ()),
    "message_without_an_end": (send_and_keep(reply(ABI_MAJOR, 1, b"x" * 512)), ()),
}


@pytest.mark.parametrize("case", FAKES)
def test_something_else_on_the_socket(make_directory, make_php, ended, case):
    behave, parts = FAKES[case]
    directory = make_directory()
    ended(FakeDaemon(directory, behave))
    error = make_php(directory).attach_error(ini={"oxpool.connect_timeout_ms": TIMEOUT_MS})
    assert_shared_exception(error, directory, *parts)


def test_a_failed_attach_leaves_no_descriptor(make_directory, make_php, ended):
    directory = make_directory()
    ended(FakeDaemon(directory, send_and_hang_up(b"")))
    done = make_php(directory).run(
        """
        $open = fn() => count(scandir('/proc/self/fd'));
        $attach = function () {
            try { new OxPHP\\Shared\\Pool(factory: fn() => new stdClass); } catch (OxPHP\\Shared\\SharedException) { }
        };
        $attach();
        $before = $open();
        for ($i = 0; $i < 20; $i++) { $attach(); }
        echo json_encode([$before, $open()]);
        """
    )
    before, after = json.loads(done.stdout)
    assert before == after


def test_a_worker_can_attach_after_a_failed_try(make_daemon, make_php):
    daemon = make_daemon()
    worker = make_php(daemon.runtime_dir).worker("retry.php", {})
    assert worker.read_line() == SHARED_EXCEPTION
    daemon.start()
    worker.send_line("again")
    assert worker.read_line() == "attached"


def test_runtime_dir_can_not_be_changed_at_run_time(php):
    done = php.run("var_dump(ini_set('oxpool.runtime_dir', '/tmp'));")
    assert "bool(false)" in done.stdout, done.stdout


def test_directory_is_removed_under_a_running_daemon(daemon, make_php):
    """The socket is gone: a new worker is told so, in words."""
    shutil.rmtree(daemon.runtime_dir)
    assert_shared_exception(make_php(daemon.runtime_dir).attach_error(), daemon.runtime_dir)
