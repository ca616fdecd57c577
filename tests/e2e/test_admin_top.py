"""top in a terminal: what it shows, its keys, and that the terminal is as before after every end."""

import os
import re
import signal

import pytest

from servers.pseudo_terminal import PseudoTerminal
from servers.waiting import wait_until


@pytest.fixture
def make_top(ctl, ended):
    def make(*arguments, **options):
        return ended(PseudoTerminal(ctl.argv("top", "--interval", "100ms", *arguments), **options))

    return make


def last_screen(text):
    """What the last whole frame shows, without escape sequences, as lines."""
    frames = text.split("\x1b[H")
    frame = frames[-1] if frames[-1].endswith("\x1b[J") or len(frames) < 3 else frames[-2]
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", frame).replace("\r", "").split("\n")


def names(terminal):
    return [line.split()[-1] for line in last_screen(terminal.read())[3:] if line.strip()]


def test_it_shows_pools_as_they_change(make_top, php):
    worker = php.commander("db", max=4)
    terminal = make_top()
    terminal.wait_for("db")
    assert "q: quit" in terminal.read()
    worker.ask("acquire")
    wait_until(lambda: any("1 in use" in line for line in last_screen(terminal.read())))
    worker.ask("use", 3000)
    wait_until(lambda: re.search(r" [1-9][0-9.k]* acquires/s", terminal.read()))
    terminal.type("q")
    assert terminal.wait() == 0
    assert terminal.is_restored()


def test_the_crowded_comes_first_and_s_changes_the_order(make_top, php):
    php.commander("a-quiet", max=4)
    holder, waiter = php.commander("z-crowded", max=1), php.commander("z-crowded", max=1)
    holder.ask("acquire")
    waiter.begin("acquire")
    terminal = make_top()
    terminal.wait_for("z-crowded")
    wait_until(lambda: names(terminal)[:2] == ["z-crowded", "a-quiet"], what="z-crowded first")
    terminal.type("sss")
    terminal.wait_for("sorted by name")
    wait_until(lambda: names(terminal)[:2] == ["a-quiet", "z-crowded"], what="by name")
    terminal.type(" ")
    terminal.wait_for("stopped")
    terminal.type("q")
    assert terminal.wait() == 0


def test_it_fits_the_terminal_when_that_changes(make_top, php):
    for number in range(30):
        php.run(f"new OxPHP\\Shared\\Pool(factory: fn () => new stdClass(), name: 'a-pool-with-a-long-name-{number}');")
    terminal = make_top(columns=200, lines=50)
    terminal.wait_for("a-pool-with-a-long-name-29")
    terminal.resize(40, 10)
    wait_until(lambda: len(last_screen(terminal.read())) == 10, what="10 lines")
    assert max(map(len, last_screen(terminal.read()))) <= 40, last_screen(terminal.read())
    terminal.resize(150, 40)
    wait_until(lambda: len(last_screen(terminal.read())) == 33, what="all 30 pools again")
    terminal.type("q")
    assert terminal.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_that_end_it_restore_the_terminal(make_top, php, number):
    php.commander("db")
    terminal = make_top()
    terminal.wait_for("db")
    terminal.send_signal(number)
    assert terminal.wait() == 0
    assert terminal.is_restored()


def test_control_c_restores_the_terminal(make_top, php):
    php.commander("db")
    terminal = make_top()
    terminal.wait_for("db")
    terminal.type("\x03")
    assert terminal.wait() == 0
    assert terminal.is_restored()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_restores_the_terminal(make_top, php, number):
    php.commander("db")
    terminal = make_top()
    terminal.wait_for("db")
    terminal.send_signal(number)
    assert terminal.wait() == -number
    assert terminal.is_restored()


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def test_a_stop_gives_the_terminal_back_until_it_goes_on(make_top, php):
    php.commander("db")
    terminal = make_top()
    terminal.wait_for("db")
    terminal.send_signal(signal.SIGTSTP)
    wait_until(lambda: state_of(terminal.pid) == "T", what="it to stop")
    assert terminal.is_restored()
    so_far = len(terminal.read())
    terminal.send_signal(signal.SIGCONT)
    terminal.wait_for("db", after=so_far)
    assert not terminal.is_restored()
    terminal.type("q")
    assert terminal.wait() == 0
    assert terminal.is_restored()


def test_a_daemon_that_goes_and_comes_is_told_of(daemon, make_top, php):
    php.commander("db")
    terminal = make_top()
    terminal.wait_for("db")
    daemon.stop()
    terminal.wait_for("not running")
    so_far = len(terminal.read())
    daemon.restart()
    terminal.wait_for("q: quit", after=so_far)
    terminal.type("q")
    assert terminal.wait() == 0
    assert terminal.is_restored()


def test_colours_and_no_color(make_top, php):
    worker = php.commander("db", max=1)
    worker.ask("acquire")
    with_colours, without = make_top(), make_top(env={"NO_COLOR": "1"})
    for terminal in (with_colours, without):
        terminal.wait_for("db")
        terminal.type("q")
        assert terminal.wait() == 0
    assert re.search(r"\x1b\[3[0-9]m", with_colours.read())
    assert not re.search(r"\x1b\[3[0-9]m", without.read())


def test_no_daemon_is_told_on_the_ordinary_screen(make_ctl, make_directory, ended):
    terminal = ended(PseudoTerminal(make_ctl(make_directory()).argv("top")))
    assert terminal.wait() == 1
    assert "not running" in terminal.read() and "\x1b[?1049h" not in terminal.read()


def test_without_a_terminal_it_is_refused(ctl):
    ctl.refused("top", parts=["terminal", "watch"])


def test_tables_have_colours_on_a_terminal(ctl, php, ended):
    worker = php.commander("db", max=1)
    worker.ask("acquire")
    terminal = ended(PseudoTerminal(ctl.argv("list")))
    assert terminal.wait() == 0 and "\x1b[1m" in terminal.read()
    terminal = ended(PseudoTerminal(ctl.argv("list"), env={"NO_COLOR": "1"}))
    assert terminal.wait() == 0 and "\x1b" not in terminal.read()
