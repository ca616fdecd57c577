"""The first example of php-client/README.md, as it stands there."""

from servers.recipes import code_blocks


def test_it_runs(daemon, php):
    (example,) = code_blocks("2. A pool")
    done = php.run(
        """
        $_ENV['DSN'] = 'sqlite::memory:';
        """
        + example
        + """
        $stats = orders_db()->stats();
        echo "one = $one, in use {$stats->inUse()}, idle {$stats->idle()}, cap {$stats->maxSize()}";
        """
    )
    assert (done.stdout, done.stderr) == ("one = 1, in use 0, idle 1, cap 16", "")
