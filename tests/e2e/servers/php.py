"""PHP command-line workers: run to an end, or driven line by line."""

import json
import os
import signal
import tempfile

from .artifacts import php_command
from .process import Process, run_to_end
from .waiting import WATCHDOG_SECONDS, wait_until


class Php:
    """Runs PHP against one runtime directory. Ends what it started beside the test in end().

    wrapper: a command that runs the one behind it, in the same process.
    extensions: more than every test needs, in their order."""

    def __init__(self, artifacts, runtime_dir, wrapper=(), extensions=()):
        self.artifacts = artifacts
        self.runtime_dir = runtime_dir
        self.wrapper = list(wrapper)
        self.extensions = extensions
        self.log_path = os.path.join(tempfile.mkdtemp(prefix="oxpool-php-", dir=artifacts.directory), "log")
        self._started = []

    def command(self, ini=None):
        return [*self.wrapper, *php_command(self.artifacts, self.runtime_dir, ini, extensions=self.extensions)]

    def run(self, code, ini=None, user=None, timeout=WATCHDOG_SECONDS):
        """Runs code (without the opening tag) to its end; returns the CompletedProcess."""
        return run_to_end([*self.command(ini), "-r", code], user=user, timeout=timeout)

    def attach_error(self, ini=None, user=None, timeout=WATCHDOG_SECONDS):
        """(class, message) of what the first `new Pool` of a worker throws; fails when it throws nothing."""
        done = self.run(
            """
            try {
                new OxPHP\\Shared\\Pool(factory: fn() => new stdClass, maxSize: 1, name: 'attach');
                echo json_encode(['', 'attached']);
            } catch (Throwable $e) {
                echo json_encode([get_class($e), $e->getMessage()]);
            }
            """,
            ini,
            user,
            timeout,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        name, message = json.loads(done.stdout)
        assert name, "expected an exception, but the worker attached"
        return name, message

    def worker(self, script, options, ini=None, user=None):
        """Starts one of the scripts in php/ with JSON options; it talks in lines over stdin and stdout."""
        argv = [*self.command(ini), self.artifacts.script(script), json.dumps(options)]
        worker = Process(argv, self.log_path, user=user, piped=True)
        self._started.append(worker)
        return worker

    def commander(self, name="pool", ini=None, user=None, **options):
        return Commander(self.worker("commander.php", {"name": name, **options}, ini, user))

    def end(self):
        for worker in self._started:
            if worker.running():
                worker.send_signal(signal.SIGKILL)
        for worker in self._started:
            worker.end()


class PhpError(Exception):
    """An exception that a commander reported."""

    def __init__(self, answer):
        super().__init__(f"{answer['error']}: {answer['message']}")
        self.php_class = answer["error"]
        self.php_message = answer["message"]


class Commander:
    """A worker with one pool that does as it is told (php/commander.php has the commands)."""

    def __init__(self, process):
        self.process = process
        self._answer()  # it says hello once it is attached

    @property
    def pid(self):
        return self.process.pid

    def begin(self, command, *arguments):
        """Tells it to do something and does not wait for the answer."""
        self.process.send_line(json.dumps([command, *arguments]))

    def answered(self):
        return self.process.has_line()

    def finish(self, timeout=WATCHDOG_SECONDS):
        """The answer to what was begun."""
        return self._answer(timeout)

    def ask(self, command, *arguments, timeout=WATCHDOG_SECONDS):
        self.begin(command, *arguments)
        return self._answer(timeout)

    def stats(self):
        """{"inUse": …, "idle": …, "waiting": …, "size": …, "maxSize": …} over the whole host."""
        return self.ask("stats")

    def wait_for_stats(self, **wanted):
        """Waits until the pool's counts are as wanted."""
        last = {}

        def as_wanted():
            last.update(self.stats())
            return all(last[key] == value for key, value in wanted.items())

        try:
            wait_until(as_wanted)
        except AssertionError:
            raise AssertionError(f"waited in vain for {wanted}; last seen {last}") from None

    def kill(self):
        self.process.kill()

    def _answer(self, timeout=WATCHDOG_SECONDS):
        line = self.process.read_line(timeout)
        if line is None:
            raise AssertionError(f"the worker ended, exit code {self.process.wait()}:\n{self.process.log_text()}")
        try:
            answer = json.loads(line)
        except json.JSONDecodeError:
            raise AssertionError(f"not an answer: {line!r}\n{self.process.log_text()}") from None
        if "error" in answer:
            raise PhpError(answer)
        return answer["value"]
