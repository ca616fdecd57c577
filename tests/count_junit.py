#!/usr/bin/python3
"""Adds up JUnit files as ctest, pytest and run-tests.php write them: prints "passed failed skipped".

Arguments: the files. One that is missing or is not XML ends with exit code 1: its part did not run to its end.
"""

import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    children = {child.tag for child in case}
    if children & {"failure", "error"} or case.get("status") == "fail":
        return "failed"
    if "skipped" in children or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "passed"


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in sys.argv[1:]:
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as problem:
            sys.exit(f"{path}: {problem}")
        for case in root.iter("testcase"):
            counts[outcome(case)] += 1
    print(*counts.values())


if __name__ == "__main__":
    main()
