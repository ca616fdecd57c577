"""Reads what /metrics answers, just far enough for tests; Prometheus and promtool judge the rest."""

import re

SERIES = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)')
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Exposition:
    """(name, labels) → value; labels as a tuple of pairs, in their order."""

    def __init__(self, text):
        self.series = {}
        for line in text.split("\n"):
            if not line or line.startswith("#"):
                continue
            name, labels, value = SERIES.match(line).groups()
            key = (name, tuple(self._labels(labels or "")))
            assert key not in self.series, f"twice: {line}"
            self.series[key] = float(value)

    @staticmethod
    def _labels(text):
        assert LABEL.sub("", text) == "", text
        for name, value in LABEL.findall(text):
            yield name, re.sub(r"\\.", lambda escape: ESCAPES[escape.group()], value)

    def value(self, name, **labels):
        return self.series[(name, tuple((key, str(value)) for key, value in labels.items()))]

    def named(self, name):
        """[labels] of all series of a name."""
        return [dict(labels) for series, labels in self.series if series == name]
