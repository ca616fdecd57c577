"""Configuration files that oxpoold refuses: exit 1 and one sentence with file, line, key and the way out."""

import os

import pytest

from conftest import needs_root
from servers.sentence import assert_sentence, last_line

# What is wrong, the file, and what the sentence must name beside the file.
BAD = {
    "unknown_key": ('[access]\nusers = []\nusres = ["www-data"]\n', ("usres", "3", "unknown")),
    "unknown_table": ("[acces]\nusers = []\n", ("acces", "1", "unknown")),
    "unknown_key_at_the_top": ('colour = "red"\n', ("colour", "1", "unknown")),
    "text_for_a_list": ('[access]\nusers = "www-data"\n', ("users", "2", ("list", "array"))),
    "number_in_a_list_of_names": ("[access]\nusers = [33.5]\n", ("users", "2")),
    "user_that_does_not_exist": ('[access]\nusers = ["no-such-user-here"]\n', ("users", "2", "no-such-user-here")),
    "group_that_does_not_exist": ('[access]\ngroups = ["no-such-group-here"]\n', ("groups", "2", "no-such-group-here")),
    "user_of_a_namespace": ('[namespaces.shop]\nusers = ["no-such-user-here"]\n', ("users", "2", "no-such-user-here")),
    "unknown_key_of_a_namespace": ("[namespaces.shop]\nuser = []\n", ("user", "2", "unknown")),
    "mode_that_is_no_mode": ('[access]\nsocket_mode = "0999"\n', ("socket_mode", "2", "0999", "0660")),
    "mode_as_a_number": ("[access]\nsocket_mode = 660\n", ("socket_mode", "2", "string")),
    "socket_group_that_does_not_exist": ('[access]\nsocket_group = "no-such"\n', ("socket_group", "2", "no-such")),
    "unknown_log_level": ('log_level = "loudest"\n', ("log_level", "1", "loudest", "warning")),
    "address_without_a_port": ('http = "127.0.0.1"\n', ("http", "1", "127.0.0.1", "port")),
    "number_out_of_range": ("[limits]\npools = 0\n", ("limits.pools", "2", "0", "1")),
    "text_for_a_number": ('[pools]\nlinger_s = "long"\n', ("pools.linger_s", "2", "string", "number")),
    "namespace_with_an_impossible_name": ('[namespaces."a/b"]\nusers = []\n', ("a/b", "1")),
    "syntax_error": ("[access]\nusers = [\n[namespaces.shop]\n", ("3",)),
    "key_twice": ("[access]\nusers = []\nusers = []\n", ("users", "3")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_by_start_and_by_check(make_daemon, case):
    text, parts = BAD[case]
    daemon = make_daemon(config=text)
    for arguments in ([], ["--check-config"]):
        done = daemon.run_to_end(*arguments)
        assert done.returncode == 1, done
        assert_sentence(last_line(done.stderr), daemon.config_path, *parts)
    assert not os.path.exists(daemon.client_socket()), "a refused start must not open its socket"


def test_good_file_passes_the_check_and_starts_nothing(make_daemon):
    daemon = make_daemon(config='[access]\nusers = ["nobody"]\n[namespaces.shop]\nusers = ["nobody"]\n')
    done = daemon.run_to_end("--check-config")
    assert done.returncode == 0, done
    assert os.listdir(daemon.runtime_dir) == []


def test_check_works_beside_a_running_daemon(daemon):
    assert daemon.run_to_end("--check-config").returncode == 0


def test_missing_file(make_daemon):
    daemon = make_daemon()
    os.remove(daemon.config_path)
    done = daemon.run_to_end()
    assert done.returncode == 1, done
    assert_sentence(last_line(done.stderr), daemon.config_path, ("does not exist", "no such file"))


@needs_root
def test_unreadable_file(make_daemon, make_directory):
    daemon = make_daemon(runtime_dir=make_directory(mode=0o777), user="nobody")
    os.chmod(daemon.config_path, 0o600)
    done = daemon.run_to_end()
    assert done.returncode == 1, done
    assert_sentence(last_line(done.stderr), daemon.config_path, "permission denied", "--config")
