"""The reset recipes of php-client/README.md against the real servers: what a careless body leaves, nobody else finds."""

import json
import os
import sqlite3

import pytest

from servers.mariadb import Mariadb
from servers.postgres import Postgres
from servers.recipes import write_code_blocks
from servers.redis import Redis

EXTENSIONS = ("mysqlnd.so", "pdo_mysql.so", "mysqli.so", "igbinary.so", "redis.so")
RESTORED = 1  # resources that the pool had to make, when the first one is used again
CLOSED = 2


@pytest.fixture(scope="module")
def servers():
    """One of each for all tests here, which leave nothing in them but what prepare() clears away."""
    started = []
    try:
        for start in (Mariadb, lambda: Postgres(max_connections=10), Redis):
            started.append(start())
        yield {type(server): server for server in started}
    finally:
        for server in started:
            server.end()


class Sql:
    """What the tests do with a database server."""

    def __init__(self, server, to):
        self.server = server
        self.to = to

    def prepare(self):
        self.execute("DROP TABLE IF EXISTS numbers; CREATE TABLE numbers (n INT); INSERT INTO numbers VALUES (1)")

    def execute(self, sql):
        return self.server.execute(sql)

    def change(self):
        """By somebody else, while nobody has the resource."""

    def numbers(self):
        return self.execute("SELECT n FROM numbers ORDER BY n").split()

    def kill(self, connection):
        self.server.kill_connection(connection)


class MariadbSql(Sql):
    def execute(self, sql):
        return self.server.execute(f"USE test; {sql}")


class SqliteFile(Sql):
    def execute(self, sql):
        """Fails when the file is locked."""
        with sqlite3.connect(self.to["file"], timeout=0) as connection:
            *before, last = sql.split(";")
            for statement in before:
                connection.execute(statement)
            return "\n".join(str(n) for (n,) in connection.execute(last))

    def change(self):
        self.execute("CREATE TABLE IF NOT EXISTS others (n INT); INSERT INTO others VALUES (1)")


class RedisKeys(Sql):
    def prepare(self):
        self.server.execute("FLUSHALL")
        self.server.execute("SET", "number", "1")

    def change(self):
        self.server.execute("INCR", "watched")

    def numbers(self):
        assert self.server.execute("GET", "number") == "2"
        return ["1", "2"]


@pytest.fixture
def store(servers, make_directory):
    """What a client of that name connects to."""

    def get(client):
        if client in ("pdo_mysql", "mysqli"):
            server = servers[Mariadb]
            made = MariadbSql(server, {"socket": server.socket})
        elif client == "pdo_pgsql":
            server = servers[Postgres]
            made = Sql(server, {"dsn": server.dsn(Postgres.SUPERUSER)})
        elif client == "pdo_sqlite":
            made = SqliteFile(None, {"file": os.path.join(make_directory(), "file.sqlite")})
        else:
            server = servers[Redis]
            made = RedisKeys(server, {"socket": server.socket})
        made.prepare()
        return made

    return get


@pytest.fixture
def careless(daemon, make_php, store, tmp_path):
    """Runs php/recipes/run.php and returns what the second body found, with `log`: what PHP's error log says."""

    def run(client, spoil, kill=None, recipes=True):
        there = store(client)
        php = make_php(daemon.runtime_dir, extensions=EXTENSIONS)
        options = {
            "client": client,
            "spoil": spoil,
            "kill": kill,
            "recipes": write_code_blocks(tmp_path)[1] if recipes else None,
            "to": there.to,
        }
        worker = php.worker("recipes/run.php", options)
        spoiled = worker.read_line()
        assert spoiled, worker.log_text()
        if kill:
            there.kill(json.loads(spoiled)[1])
        elif recipes:
            there.change()
        worker.send_line("go on")
        found = worker.read_line()
        assert found, worker.log_text()
        assert worker.wait() == 0, worker.log_text()
        found = json.loads(found)[1]
        if recipes:
            assert there.numbers() == ["1", "2"]
            assert (found["inUse"], found["idle"]) == (0, 1)
        return {**found, "log": worker.log_text()}

    return run


CLIENTS = ["pdo_mysql", "pdo_pgsql", "pdo_sqlite", "mysqli", "phpredis"]

LEFT_BEHIND = [
    *((client, "nothing", RESTORED) for client in CLIENTS),
    *((client, "transaction", RESTORED) for client in CLIENTS),
    ("pdo_mysql", "transaction by statement", RESTORED),
    ("pdo_pgsql", "transaction by statement", RESTORED),
    ("pdo_sqlite", "transaction by statement", CLOSED),
    ("mysqli", "transaction by statement", RESTORED),
    ("pdo_pgsql", "failed transaction", RESTORED),
    ("pdo_pgsql", "session", RESTORED),
    ("pdo_mysql", "unread rows", RESTORED),
    ("pdo_pgsql", "unread rows", RESTORED),
    ("pdo_sqlite", "unread rows", RESTORED),
    ("mysqli", "unread rows", RESTORED),
    ("pdo_mysql", "unread rows, kept", CLOSED),
    ("pdo_pgsql", "unread rows, kept", RESTORED),
    ("mysqli", "unread rows, kept", CLOSED),
    ("mysqli", "unread results", CLOSED),
    ("phpredis", "pipeline", RESTORED),
    ("phpredis", "watch", RESTORED),
    ("phpredis", "database", RESTORED),
    ("phpredis", "unread reply", RESTORED),
]


@pytest.mark.parametrize("client,spoil,made", LEFT_BEHIND)
def test_what_a_body_leaves_behind_is_gone(careless, client, spoil, made):
    found = careless(client, spoil)
    assert found["dirty"] == [], found
    assert found["made"] == made, found
    assert ("reset threw" in found["log"]) == (made == CLOSED), found["log"]


DEAD = [
    *((client, "nothing", CLOSED) for client in ("pdo_mysql", "pdo_pgsql", "mysqli")),
    ("phpredis", "nothing", RESTORED),
    ("phpredis", "does not connect anew", CLOSED),
]


@pytest.mark.parametrize("when", ["held", "idle"])
@pytest.mark.parametrize("client,spoil,made", DEAD)
def test_a_connection_that_the_server_ended_is_not_handed_out(careless, client, spoil, made, when):
    found = careless(client, spoil, kill=when)
    assert found["dirty"] == [], found
    assert found["made"] == made, found
    if made == CLOSED:
        assert ("reset threw" if when == "held" else "validate threw") in found["log"], found["log"]


@pytest.mark.parametrize("client", ["pdo_mysql", "pdo_pgsql", "mysqli", "phpredis"])
def test_a_connection_that_the_server_ended_within_a_transaction_is_closed(careless, client):
    found = careless(client, "transaction", kill="held")
    assert found["dirty"] == [], found
    assert found["made"] == CLOSED, found


@pytest.mark.parametrize("client", CLIENTS)
def test_without_the_recipes_the_next_body_finds_the_transaction(careless, client):
    """What the recipes are for; and that these tests would notice if they did nothing."""
    assert "a transaction" in str(careless(client, "transaction", recipes=False)["dirty"])


def test_the_pool_of_the_readme(daemon, make_php, store, tmp_path):
    there = store("pdo_mysql")
    usage, recipes = write_code_blocks(tmp_path)
    php = make_php(daemon.runtime_dir, extensions=EXTENSIONS)
    done = php.run(
        f"""
        $dsn = 'mysql:unix_socket={there.to["socket"]};dbname=test'; $user = 'root'; $password = '';
        require '{recipes}';
        require '{usage}';
        $db->with(fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->exec('INSERT INTO numbers VALUES (666)'));
        $db->with(fn (PDO $pdo) => $pdo->exec('INSERT INTO numbers VALUES (2)'));
        echo $db->stats()->idle();
        """
    )
    assert (done.stdout, done.returncode) == ("1", 0), done.stdout + done.stderr
    assert there.numbers() == ["1", "2"]
