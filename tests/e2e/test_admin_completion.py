"""What a shell is offered, by the scripts that oxpoolctl writes."""

import os
import shutil
import subprocess

import pytest

from servers.php import Commander


def bash_offers(ctl, *words):
    """What bash would offer for the last word."""
    script = ctl.done("completion", "bash")
    line = script + (
        f"COMP_WORDS=({' '.join(words)} ) COMP_CWORD={len(words) - 1}\n" + '_oxpoolctl\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", line],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": os.path.dirname(ctl.artifacts.oxpoolctl) + ":" + os.environ["PATH"],
             "OXPOOL_RUNTIME_DIR": ctl.runtime_dir},
    )
    return done.stdout.split()


def test_bash_offers_verbs_options_and_pools(ctl, php):
    php.commander("db")
    assert "resize" in bash_offers(ctl, "oxpoolctl", "''") and "doctor" in bash_offers(ctl, "oxpoolctl", "''")
    assert bash_offers(ctl, "oxpoolctl", "dr") == ["drain"]
    assert "--unset" in bash_offers(ctl, "oxpoolctl", "resize", "--")
    assert "--runtime-dir" in bash_offers(ctl, "oxpoolctl", "--ru")
    assert bash_offers(ctl, "oxpoolctl", "resize", "''") == [str(ctl.json("stats", "db")["id"])]
    assert bash_offers(ctl, "oxpoolctl", "completion", "z") == ["zsh"]
    assert bash_offers(ctl, "oxpoolctl", "mutex", "''") == ["reset"]
    assert bash_offers(ctl, "oxpoolctl", "mutex", "reset", "''") == []
    assert bash_offers(ctl, "oxpoolctl", "mutex", "reset", "--name") == ["--namespace"]
    Commander(php.worker("mutex_commander.php", {})).ask("add", "counter")
    assert bash_offers(ctl, "oxpoolctl", "mutex", "reset", "''") == [str(ctl.json("mutexes")["mutexes"][0]["id"])]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_theirs(ctl, shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(ctl.done("completion", shell))
    subprocess.run([shell, "-n", str(script)], check=True)
