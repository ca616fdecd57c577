"""PHP workers go on as if nothing were while another user spoils his own segment and sends nonsense."""

import json
import os
import sys
import time

import pytest

from conftest import needs_root
from servers import vandal_program
from servers.fake_daemon import ABI_MAJOR, hello
from servers.process import Process
from servers.waiting import wait_until

SECONDS = 10
CAP = 2
WORKERS = 4
CONFIG = """
[access]
users = ["root", "nobody"]
socket_mode = "0666"
"""


@needs_root
@pytest.mark.slow
def test_workers_of_other_namespaces_notice_nothing(make_daemon, make_php, make_directory, counting_server, ended):
    daemon = make_daemon(config=CONFIG).start()
    php = make_php(daemon.runtime_dir)
    directory = make_directory()
    program = os.path.join(directory, "vandal_program.py")
    with open(vandal_program.__file__, encoding="utf-8") as source, open(program, "w", encoding="utf-8") as copy:
        copy.write(source.read())
    vandals = [
        ended(
            Process(
                [sys.executable, program, daemon.runtime_dir, hello(ABI_MAJOR).hex()],
                os.path.join(daemon.directory, f"vandal{number}"),
                user="nobody",
                piped=True,
            )
        )
        for number in range(2)
    ]
    # The second one may find that the first has spoilt their segment already.
    assert sum(int(vandal.read_line()) for vandal in vandals) > 0, [vandal.log_text() for vandal in vandals]

    options = {"name": "shop", "max": CAP, "server": counting_server.address, "seconds": SECONDS}
    options.update(factoryMs=1, destroyMs=0, holdUs=500)
    workers = [php.worker("hammer.php", options) for _ in range(WORKERS)]
    for worker in workers:
        assert worker.read_line() == "ready", worker.log_text()
        worker.send_line("go")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        # New ones come in, and the dead are buried, too.
        victim = php.commander(name="shop", max=CAP, server=counting_server.address)
        victim.ask("acquireTimeout", 20_000)
        victim.kill()
        assert daemon.http_get("/healthz")[0] == 200
        for vandal in vandals:
            assert vandal.running(), vandal.log_text()
    reports = [json.loads(worker.read_line(90) or worker.log_text()) for worker in workers]
    assert [report["errors"] for report in reports] == [[]] * WORKERS
    assert min(report["uses"] for report in reports) > 0
    assert counting_server.state()["peak"] <= CAP
    assert daemon.log_contains('segment broken namespace="uid-65534"'), "nothing was spoilt, so nothing was tested"
    assert not daemon.log_contains('segment broken namespace="uid-0"')

    # And once the vandals are gone, even their namespace is to be had again.
    for vandal in vandals:
        vandal.kill()
    use = "(new OxPHP\\Shared\\Pool(factory: fn() => new stdClass, maxSize: 1, name: 'x'))->with(fn() => print('used'));"
    wait_until(lambda: php.run(use, user="nobody").stdout == "used", 90, "the spoilt namespace to be usable", 0.5)
