#!/usr/bin/python3
"""Looks whether shm/RECOVERY.md can be believed: each line of its tables names tests, and each of them is there.

Arguments: the project's folder, and where a JUnit file is to be written: one case for each line.
"""

import re
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr


def names_in(project, pattern, expression):
    return {name for path in project.glob(pattern) for name in re.findall(expression, path.read_text(), re.MULTILINE)}


def tests_of(project):
    tests = {f"{suite}.{name}" for suite, name in names_in(
        project, "tests/unit/**/*_test.cc", r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)")}
    tests |= {f"crash/{name}" for name in names_in(
        project, "tests/crash/*operations.cc", r'^ {6}\{"([^"]+)"')}
    tests |= {f"model/{name}" for name in names_in(
        project, "tests/model/run.sh", r"^(?:lock|pool) *\| *\w+\+* *\| (.*?) *\| -D")}
    for path in project.glob("tests/e2e/test_*.py"):
        tests |= {f"{path.name}::{name}" for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)}
    return tests


def lines_of(page):
    """The table lines but their heads: what is said first in them, and the tests they name in the last column."""
    for line in page.read_text().splitlines():
        if not line.startswith("| ") or line.startswith("| dies after"):
            continue
        columns = [column.strip() for column in line.strip("| ").split(" | ")]
        yield columns[0], re.findall(r"`([^`]+)`", columns[3]) if len(columns) == 4 else []


def main():
    project, report = Path(sys.argv[1]), Path(sys.argv[2])
    tests = tests_of(project)
    cases, failures, count = [], 0, 0
    for line, named in lines_of(project / "shm" / "RECOVERY.md"):
        missing = [name for name in named if name not in tests]
        count += 1
        wrong = f"there is no {', '.join(missing)}" if missing else "" if named else "no test is named"
        failures += bool(wrong)
        if wrong:
            print(f"shm/RECOVERY.md, {line}: {wrong}")
        failure = f"<failure message={quoteattr(wrong)}/>" if wrong else ""
        cases.append(f'<testcase classname="recovery" name={quoteattr(line)}>{failure}</testcase>\n')
    report.write_text(f'<testsuite name="recovery" tests="{count}">\n{"".join(cases)}</testsuite>\n')
    print(f"{count} lines, {failures} not proved")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
