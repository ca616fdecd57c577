"""PHP as it stands in php-client/README.md, and the reset recipes of it as files that PHP can load."""

import os
import re

from .artifacts import REPOSITORY

README = os.path.join(REPOSITORY, "php-client", "README.md")


def code_blocks(section):
    """The PHP that stands in a section of the README."""
    with open(README, encoding="utf-8") as readme:
        text = readme.read().split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"^```php\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def write_code_blocks(directory, section="Reset recipes", prefix=""):
    """(path of the usage, path of the recipes), made in the directory."""
    paths = []
    for name, code in zip((f"{prefix}usage.php", f"{prefix}recipes.php"), code_blocks(section)):
        paths.append(os.path.join(directory, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write("<?php\n" + code)
    return paths
