"""A request that ends in some way at some place in the use of a pool (php/www/ends.php), and whether all came back."""

import os
import re
import signal
import tempfile
from contextlib import ExitStack

from .counting_server import CountingServer
from .oxpoold import Oxpoold
from .php import Php
from .waiting import wait_until
from .web import UNPRIVILEGED

MAX = 4

# How a request ends (php/www/ends.php does it), and the last error that its shutdown functions then see.
ENDINGS = {
    "normal": None,
    "exit": None,
    "exception": "1 Uncaught DomainException",
    "user error": "256 the end",
    "fatal": "1 Class Unfinished contains 1 abstract method",
    "memory limit": "1 Allowed memory size",
    "time limit": "1 Maximum execution time",
    "compile error": "64 Cannot redeclare end_now()",
}
# Where it ends.
PLACES = [
    "factory", "validate", "body", "reset", "destroy", "destroy at the end", "waiting", "another's destroy", "global",
    "static", "cycle",
]  # fmt: skip
IN_A_WAIT = ("waiting", "another's destroy")
# An exception thrown there is reported, and the request goes on.
REPORTED = ("validate", "reset", "destroy", "another's destroy")

# PHP blocks every signal while a signal handler runs, and a fatal error jumps over its unblocking: the process can not be
# signalled any more.
DEAF_AFTERWARDS = ("user error", "fatal", "memory limit", "compile error")


class Surroundings:
    """What the requests of one SAPI share: a daemon, a server that counts, the SAPI itself. As root, PHP is www-data."""

    def __init__(self, artifacts, name, make_sapi):
        self.name = name
        self._stack = ExitStack()
        self.user = UNPRIVILEGED if os.geteuid() == 0 else None
        config = f'[access]\nsocket_group = "{UNPRIVILEGED}"\nusers = ["{UNPRIVILEGED}"]\n' if self.user else ""
        self.daemon = self._ended(Oxpoold(artifacts, config)).start()
        self.server = self._ended(CountingServer())
        self.php = self._ended(Php(artifacts, self.daemon.runtime_dir))
        self.make_sapi = lambda: make_sapi(artifacts, self.daemon.runtime_dir, self.user)
        self.sapi = self._ended(self.make_sapi())

    def _ended(self, thing):
        self._stack.callback(thing.end)
        return thing

    def commander(self, name, **options):
        return self.php.commander(name, user=self.user, **options)

    def end(self):
        self._stack.close()


class Events:
    """What the request wrote down."""

    def __init__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="oxpool-events-", dir="/tmp")
        os.chmod(self._directory.name, 0o777)
        self.path = os.path.join(self._directory.name, "events")

    def lines(self):
        try:
            with open(self.path, encoding="utf-8") as events:
                return events.read().splitlines()
        except FileNotFoundError:
            return []

    def wait_for(self, line):
        wait_until(lambda: line in self.lines(), what=f"the event {line!r}; seen: {self.lines()}")

    def numbers(self, what):
        return sorted(int(line.split()[1]) for line in self.lines() if re.fullmatch(rf"{what} \d+", line))

    def end(self):
        self._directory.cleanup()


class Killed:
    def __init__(self, server):
        self._server = server

    def end(self):
        self._server.kill()


class EndingRequest:
    """One request that ends so and there, and what is looked at afterwards. Everything that is wrong is collected."""

    def __init__(self, surroundings, ending, place, ended):
        self.all = surroundings
        self.sapi = surroundings.sapi
        self.ending, self.place = ending, place
        self.events = ended(Events())
        self.pool = f"{surroundings.name} {ending} {place}"
        self.held = 0  # units that somebody else has when the request ends
        self.handler = place == "waiting" and self.sapi.has_pcntl and ending != "time limit"
        if self.sapi.lasts and self.handler and ending in DEAF_AFTERWARDS:
            self.sapi = ended(surroundings.make_sapi())  # one that no other cell needs, and that is only to be killed
            ended(Killed(self.sapi))
        self.goes_on = (
            ending == "normal" or place == "destroy at the end" or (ending == "exception" and place in REPORTED)
        )

    def run(self):
        self.all.server.reset_peak()
        request_parameters = {
            "ending": self.ending,
            "place": self.place,
            "name": self.pool,
            "other": f"{self.pool}, other",
            "max": MAX,
            "server": self.all.server.address,
            "events": self.events.path,
        }
        watcher = None
        if self.place in IN_A_WAIT or not self.sapi.lasts:
            watcher = self.all.commander(self.pool, max=MAX, server=self.all.server.address)
        if self.place in IN_A_WAIT:
            watcher.ask("acquire")
            self.held = 1
        request = self.sapi.begin(request_parameters)
        if self.place in IN_A_WAIT:
            self.end_it_in_its_wait(request, watcher)
        problems = [request.finish()]
        problems += self.problems_with_events()
        if self.sapi.lasts:
            problems += self.problems_with_worker()
        else:
            problems += self.problems_seen_by(watcher, request.pid)
        problems += self.problems_with_connections()
        if watcher is not None:
            watcher.kill()
        problems += self.problems_with_connections_left()
        return [problem for problem in problems if problem]

    def end_it_in_its_wait(self, request, watcher):
        self.events.wait_for("waits")
        watcher.wait_for_stats(waiting=1)
        if self.place == "another's destroy":
            rival = self.all.commander(f"{self.pool}, other", max=1)
            rival.begin("acquire")
            self.events.wait_for("ending")
            rival.finish()
            rival.kill()
        elif self.handler:
            os.kill(request.pid, signal.SIGUSR1)
            self.events.wait_for("ending")
        elif self.ending == "time limit":
            os.kill(request.pid, signal.SIGPROF)
        if self.goes_on:
            watcher.ask("release")
            self.held = 0

    def problems_with_events(self):
        lines = self.events.lines()
        made, destroyed = self.events.numbers("made"), self.events.numbers("destroy")
        if self.ending == "memory limit" and self.place == "destroy at the end":
            if len(set(destroyed)) != len(destroyed) or not set(destroyed) <= set(made) or not destroyed:
                yield f"made {made}, destroyed {destroyed}"
        elif made != destroyed:
            yield f"made {made}, destroyed {destroyed}"
        if lines.count("ending") != (0 if self.place == "waiting" and not self.handler else 1):
            yield f"the end was reached {lines.count('ending')} times"
        if ("goes on" in lines) != self.goes_on:
            yield "it went on" if "goes on" in lines else "it did not go on"
        last = next((line.removeprefix("last error ") for line in lines if line.startswith("last error")), "")
        expected = "" if self.goes_on else ENDINGS[self.ending] or ""
        if not last.startswith(expected) or bool(last) != bool(expected):
            yield f"the last error was {last!r}"

    def problems_with_worker(self):
        """Told by the next request of the same process, before anything else can happen there."""
        answer = self.sapi.ask({"name": self.pool, "max": MAX})
        if answer["pid"] != self.sapi.pid:
            yield f"pid {self.sapi.pid} was replaced by {answer['pid']}"
            self.sapi.pid = answer["pid"]
        if answer["size"] != self.held:
            yield f"{answer['size'] - self.held} units were still taken at the next request"
        if answer["taken"] != MAX - self.held:
            yield f"the next request could take {answer['taken']} of {MAX - self.held}"
        if answer["idle"] != answer["taken"]:
            yield f"the next request kept {answer['idle']} of {answer['taken']} that it gave back"

    def problems_seen_by(self, watcher, pid):
        """What the watcher sees once the process has ended, and whether it was the process that gave the units back."""
        size = watcher.stats()["size"]
        if size != self.held:
            yield f"{size - self.held} units were still taken after the end"
        taken = 0
        while taken <= MAX and watcher.ask("tryAcquire"):
            taken += 1
        if taken != MAX - self.held:
            yield f"another worker could take {taken} of {MAX - self.held}"
        if re.search(rf"worker buried .*pid={pid} .*slots=[1-9]", self.all.daemon.log_text()):
            yield "the units came back by a burial"

    def problems_with_connections(self):
        peak = self.all.server.state()["peak"]
        if peak > MAX:
            yield f"{peak} connections at once"

    def problems_with_connections_left(self):
        try:
            wait_until(lambda: self.all.server.state()["open"] == 0)
        except AssertionError:
            yield f"{self.all.server.state()['open']} connections are still open"
