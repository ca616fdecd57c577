#!/usr/bin/python3
"""Runs the fuzz targets, two at a time, and writes a JUnit file.

    run_targets.py BUILD_DIR SECONDS JUNIT_FILE

Each target first meets its committed inputs (corpus/NAME: seeds, and what once failed), then goes on from them for
SECONDS. What makes one fail is left beside the JUnit file, as NAME-crash-…; mended, it belongs into corpus/NAME."""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.realpath(__file__))
TARGETS = ("attach", "config", "handshake", "http", "place", "value")
AT_ONCE = 2
# Beyond its time: the inputs that are there, and the end of the last one.
GRACE_SECONDS = 120


def run(name, build, seconds, artifacts):
    """(name, seconds it took, number of inputs, output; the latter None when nothing failed)."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="oxpool-fuzz-") as found:
        argv = [
            os.path.join(build, "bin", f"{name}_fuzz"),
            f"-max_total_time={seconds}",
            "-max_len=16384" if name == "config" else "-max_len=8192",
            "-timeout=20",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
            f"-artifact_prefix={artifacts}/{name}-",
            found,
            os.path.join(HERE, "corpus", name),
        ]
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=seconds + GRACE_SECONDS,
            )
            output, failed = done.stdout, done.returncode != 0
        except subprocess.TimeoutExpired as expired:
            output, failed = (expired.stdout or b"").decode(errors="replace") + "\nit did not come to its end", True
        except OSError as problem:
            output, failed = str(problem), True
    inputs = next((line.split()[-1] for line in output.splitlines() if "number_of_executed_units" in line), "0")
    failed = failed or int(inputs) == 0
    return name, time.monotonic() - began, inputs, output if failed else None


def main():
    build, seconds, junit = sys.argv[1], int(sys.argv[2]), os.path.abspath(sys.argv[3])
    suite = ElementTree.Element("testsuite", name="fuzz")
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as executor:
        runs = [executor.submit(run, name, build, seconds, os.path.dirname(junit)) for name in TARGETS]
        for future in concurrent.futures.as_completed(runs):
            name, took, inputs, output = future.result()
            print(f"{name}: {inputs} inputs in {took:.0f} s{': FAILED' if output else ''}", flush=True)
            case = ElementTree.SubElement(suite, "testcase", name=name, classname="fuzz", time=f"{took:.1f}")
            if output:
                print(output)
                text = "".join(c if c.isprintable() or c == "\n" else "?" for c in output[-20000:])
                ElementTree.SubElement(case, "failure", message="the target failed").text = text
    ElementTree.ElementTree(suite).write(junit, encoding="utf-8", xml_declaration=True)
    sys.exit(any(case.find("failure") is not None for case in suite))


if __name__ == "__main__":
    main()
