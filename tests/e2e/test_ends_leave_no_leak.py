"""However a request ends, nothing of the extension's is leaked, and nothing is touched that was freed: under valgrind."""

import pytest

from servers.artifacts import php_command
from servers.endings import PLACES, EndingRequest, Surroundings
from servers.sapis import built_in_server, cli
from servers.valgrind import Valgrind

pytestmark = pytest.mark.slow

# Every block of PHP's own is one of malloc's, so that valgrind sees it; but then there is no memory limit.
MALLOC = {"USE_ZEND_ALLOC": "0"}
PHPS_OWN = {"USE_ZEND_ALLOC": "1"}

UNWINDING = ["normal", "exit", "exception"]
JUMPING = ["user error", "fatal", "compile error"]
# "waiting" would deafen a server to signals: see endings.py.
SERVED = [place for place in PLACES if place != "waiting"]
WITHOUT_CYCLE = [place for place in SERVED if place != "cycle"]
START_SECONDS = 120


@pytest.fixture
def under_valgrind(artifacts, ended):
    """Makes Surroundings whose PHP runs under a valgrind: under_valgrind(name, sapi, environment, …)."""
    valgrind = ended(Valgrind())

    def make(name, sapi, environment, **options):
        def make_sapi(artifacts, runtime_dir, user):
            command = [*valgrind.command, *php_command(artifacts, runtime_dir)]
            return sapi(artifacts, runtime_dir, user, command=command, environment=environment, **options)

        return Surroundings(artifacts, name, make_sapi)

    make.valgrind = valgrind
    return make


def check(surroundings, ended, endings, places):
    problems = []
    try:
        for ending in endings:
            for place in places:
                found = EndingRequest(surroundings, ending, place, ended).run()
                problems += [f"{ending}, {place}: {problem}" for problem in found]
    finally:
        surroundings.end()
    assert not problems


@pytest.mark.parametrize(
    "endings, places, environment, piecewise",
    [
        pytest.param(UNWINDING, WITHOUT_CYCLE, MALLOC, True, id="unwinding"),
        pytest.param(UNWINDING, ["cycle"], MALLOC, False, id="unwinding_with_a_cycle"),
        pytest.param(JUMPING, SERVED, MALLOC, False, id="jumping"),
        pytest.param(["time limit"], ["body", "destroy at the end", "another's destroy"], MALLOC, False, id="time_limit"),
        pytest.param(["memory limit"], SERVED, PHPS_OWN, False, id="memory_limit"),
    ],
)
def test_one_server_for_many_requests(under_valgrind, ended, endings, places, environment, piecewise):
    surroundings = under_valgrind("php -S", built_in_server, environment, start_seconds=START_SECONDS)
    check(surroundings, ended, endings, places)
    assert under_valgrind.valgrind.programs() == 1
    assert not under_valgrind.valgrind.findings(piecewise)


@pytest.mark.parametrize(
    "endings, environment, piecewise",
    [
        pytest.param(UNWINDING, MALLOC, True, id="unwinding"),
        pytest.param([*JUMPING, "time limit"], MALLOC, False, id="jumping"),
        pytest.param(["memory limit"], PHPS_OWN, False, id="memory_limit"),
    ],
)
def test_a_process_for_each_request(under_valgrind, ended, endings, environment, piecewise):
    check(under_valgrind("CLI", cli, environment), ended, endings, ["waiting", "body"])
    assert under_valgrind.valgrind.programs() == 2 * len(endings)
    assert not under_valgrind.valgrind.findings(piecewise)
