"""oxpoolctl as an operator runs it."""

import json

from .process import Process, run_to_end
from .sentence import assert_sentence
from .waiting import WATCHDOG_SECONDS


class Oxpoolctl:
    """Runs oxpoolctl against one runtime directory, or against what `options` say."""

    def __init__(self, artifacts, runtime_dir, options=(), user=None, environment=None):
        self.artifacts = artifacts
        self.runtime_dir = runtime_dir
        self.options = list(options)
        self.user = user
        self.environment = environment or {}
        self._started = []

    def argv(self, *arguments):
        where = ["--runtime-dir", self.runtime_dir] if self.runtime_dir else []
        return [self.artifacts.oxpoolctl, *where, *self.options, *map(str, arguments)]

    def run(self, *arguments, timeout=WATCHDOG_SECONDS, user=None):
        """Runs it to its end; returns the CompletedProcess."""
        return run_to_end(self.argv(*arguments), env=self.environment, user=user or self.user, timeout=timeout)

    def done(self, *arguments):
        """Runs it; it must exit 0 and say nothing on standard error. Returns its standard output."""
        result = self.run(*arguments)
        assert (result.returncode, result.stderr) == (0, ""), (arguments, result.stdout, result.stderr)
        return result.stdout

    def json(self, *arguments):
        """The same with --json, as Python values."""
        return json.loads(self.done("--json", *arguments))

    def refused(self, *arguments, parts=(), code=1, user=None):
        """Runs it; it must exit with `code` and say one sentence that has the parts. Returns the CompletedProcess."""
        result = self.run(*arguments, user=user)
        assert result.returncode == code, (arguments, result.returncode, result.stdout, result.stderr)
        assert result.stderr.startswith("oxpoolctl: "), result.stderr
        assert_sentence(result.stderr, *parts)
        return result

    def usage(self, *arguments):
        """Runs it; it must say that it was called wrongly. Returns what it said."""
        result = self.run(*arguments)
        assert (result.returncode, result.stdout) == (2, ""), (arguments, result.stdout, result.stderr)
        return result.stderr

    def begin(self, *arguments):
        """Starts it beside the test; its standard output comes as lines."""
        process = Process(self.argv(*arguments), self.artifacts.directory + "/oxpoolctl.log", env=self.environment,
                          user=self.user, piped=True)
        self._started.append(process)
        return process

    def end(self):
        for process in self._started:
            process.end()
