"""However a request ends, wherever in the use of a pool: its units are back at its end, its resources were destroyed
once, and its worker serves the next request. One test for each cell; the tables are printed at the end of the run."""

import pytest

from servers.endings import ENDINGS, PLACES, EndingRequest, Surroundings
from servers.matrix import Matrix
from servers.sapis import built_in_server, cli, php_fpm

SAPIS = {"CLI": cli, "php-fpm": php_fpm, "php -S": built_in_server}
NOTES = """\
destroy: of a resource that is discarded. destroy at the end: of what is closed with the request; PHP builds that refuse
to run code once the memory limit was hit there leave the other resources without their destroy.
waiting: in a signal handler that runs while acquire() waits; the time limit, which counts CPU time and so does not pass
in a wait, by its timer's signal from the test. another's destroy: while acquire() waits, in the destroy of another
pool's resource that somebody else waits for. An exception in validate, reset or destroy is reported, not thrown."""
FPM_NOTE = "n/a: php-fpm has no pcntl, so no signal handler of the script could end it there."


def not_applicable(sapi, ending, place):
    return sapi == "php-fpm" and place == "waiting" and ending not in ("normal", "time limit")


def matrix_of(sapi):
    matrix = Matrix(f"Ends of requests, {sapi}", ENDINGS, PLACES)
    matrix.note(NOTES)
    if sapi == "php-fpm":
        matrix.note(FPM_NOTE)
    for ending in ENDINGS:
        for place in PLACES:
            if not_applicable(sapi, ending, place):
                matrix.not_applicable(ending, place)
    return matrix


MATRICES = {sapi: matrix_of(sapi) for sapi in SAPIS}


def cells_of(sapi):
    cells = []
    for ending in ENDINGS:
        for place in PLACES:
            if not not_applicable(sapi, ending, place):
                takes_a_second = ending == "time limit" and place != "waiting"  # PHP has no shorter one
                marks = [pytest.mark.slow] if takes_a_second else []
                name = f"{ending}-{place}".replace(" ", "_")
                cells.append(pytest.param(ending, place, marks=marks, id=name))
    return pytest.mark.parametrize("ending, place", cells)


def for_the_module(sapi):
    @pytest.fixture(scope="module", name=f"in_{SAPIS[sapi].__name__}")
    def surroundings(artifacts):
        made = Surroundings(artifacts, sapi, SAPIS[sapi])
        yield made
        made.end()

    return surroundings


in_cli, in_php_fpm, in_built_in_server = map(for_the_module, SAPIS)


def run_cell(surroundings, ended, ending, place):
    problems = ["broke off"]
    try:
        problems = EndingRequest(surroundings, ending, place, ended).run()
    finally:
        MATRICES[surroundings.name].set(ending, place, problems)
    assert not problems


@cells_of("CLI")
def test_cli(in_cli, ended, ending, place):
    run_cell(in_cli, ended, ending, place)


@cells_of("php-fpm")
def test_php_fpm(in_php_fpm, ended, ending, place):
    run_cell(in_php_fpm, ended, ending, place)


@cells_of("php -S")
def test_built_in_server(in_built_in_server, ended, ending, place):
    run_cell(in_built_in_server, ended, ending, place)
