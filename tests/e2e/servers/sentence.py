"""What a person reads when something was refused: one sentence that names the thing, its value, and the way out."""


def assert_sentence(text, *parts):
    """The text is one line and has every part; a part may be a tuple of alternatives."""
    text = text.strip()
    assert text, "nothing was said"
    assert "\n" not in text, f"more than one line:\n{text}"
    for part in parts:
        alternatives = part if isinstance(part, tuple) else (part,)
        assert any(str(one).lower() in text.lower() for one in alternatives), f"none of {alternatives} in: {text}"


def last_line(output):
    """A daemon that refuses to start may have logged something before: the refusal is its last line."""
    lines = [line for line in output.strip().split("\n") if line]
    return lines[-1] if lines else ""
