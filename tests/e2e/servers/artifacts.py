"""What the build made, copied to where every user of the machine may read and run it."""

import os
import shlex
import shutil
import tempfile

REPOSITORY = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PHP = shutil.which("php8.2") or "php8.2"

# mysqli, pgsql and phpredis, beside what every test has.
PHP_EXTENSIONS_OF_CLIENTS = ("mysqlnd.so", "pdo_mysql.so", "mysqli.so", "pgsql.so", "igbinary.so", "redis.so")

class Artifacts:
    """A clone or a build folder may lie where only its owner may look, so unprivileged programs get copies."""

    def __init__(self):
        self.build = build = os.environ.get("OXPOOL_BUILD_DIR", os.path.join(REPOSITORY, "build"))
        daemon = os.environ.get("OXPOOL_BIN", os.path.join(build, "bin", "oxpoold"))
        ctl = os.environ.get("OXPOOL_CTL", os.path.join(build, "bin", "oxpoolctl"))
        extension = os.environ.get("OXPOOL_SO", os.path.join(build, "php", "oxpool.so"))
        for built in (daemon, ctl, extension):
            assert os.path.exists(built), f"{built} is missing: cmake -S . -B build -G Ninja && cmake --build build"
        self.directory = tempfile.mkdtemp(prefix="oxpool-e2e-", dir="/tmp")
        os.chmod(self.directory, 0o755)
        self.oxpoold = self._copy(daemon, 0o755)
        self.oxpoolctl = self._copy(ctl, 0o755)
        self.extension = self._copy(extension, 0o644)
        self.php = os.path.join(self.directory, "php")
        shutil.copytree(os.path.join(REPOSITORY, "tests", "e2e", "php"), self.php, copy_function=shutil.copyfile)
        for folder, _, files in os.walk(self.php):
            os.chmod(folder, 0o755)
            for name in files:
                os.chmod(os.path.join(folder, name), 0o644)

    def _copy(self, source, mode):
        target = os.path.join(self.directory, os.path.basename(source))
        shutil.copyfile(source, target)
        os.chmod(target, mode)
        return target

    def script(self, name):
        return os.path.join(self.php, name)

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)


def php_command(artifacts, runtime_dir, ini=None, oxpool=True, program=PHP, extensions=()):
    """The beginning of a PHP command line that reads no php.ini and loads what the tests need, oxpool last.

    extensions: more of them, in their order. OXPOOL_PHP_PREFIX is a command that runs the one behind it, in the same
    process."""
    argv = [*shlex.split(os.environ.get("OXPOOL_PHP_PREFIX", "")), program, "-n"]
    for extension in ("pdo.so", "pdo_pgsql.so", "pdo_sqlite.so", "posix.so", *extensions):
        argv += ["-d", f"extension={extension}"]
    settings = {"display_errors": "stderr"}  # apart from what a script answers
    if oxpool:
        argv += ["-d", f"extension={artifacts.extension}"]
        settings["oxpool.runtime_dir"] = runtime_dir
    settings.update(ini or {})
    for key, value in settings.items():
        argv += ["-d", f'{key}="{value}"' if isinstance(value, str) else f"{key}={value}"]
    return argv
