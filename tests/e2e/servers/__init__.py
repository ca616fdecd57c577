"""The real programs that the black-box tests start, drive and end: each in a class of its own."""
