"""What was seen, in tables, row by column, and in lines; printed when all tests have run (conftest.py)."""

MATRICES = []
FIGURES = []


def note_figure(line):
    """A line that is printed whatever becomes of the test."""
    FIGURES.append(line)


class Matrix:
    """Cells are set one by one; one that was never set is shown as not run. Texts other than "ok" are told below it."""

    def __init__(self, title, rows, columns):
        self.title = title
        self.rows = list(rows)
        self.columns = list(columns)
        self.cells = {}
        self.notes = []
        self.has_run = False
        MATRICES.append(self)

    def set(self, row, column, problems):
        """problems: what was wrong, as texts; none = ok."""
        self.has_run = True
        self.cells[row, column] = "; ".join(problems) or "ok"

    def not_applicable(self, row, column):
        self.cells[row, column] = "n/a"

    def note(self, text):
        self.notes.append(text)

    def text(self):
        wrong = []

        def shown(row, column):
            cell = self.cells.get((row, column), "not run")
            if cell in ("ok", "n/a", "not run"):
                return cell
            wrong.append(f"({len(wrong) + 1}) {row}, {column}: {cell}")
            return f"WRONG ({len(wrong)})"

        lines = [["", *self.columns]] + [[row, *(shown(row, column) for column in self.columns)] for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        table = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        rule = "-+-".join("-" * width for width in widths)
        return "\n".join([self.title, "", table[0], rule, *table[1:], *self.notes, *wrong])


def all_tables():
    """Every matrix of which a cell has run, and every line, as one text; empty when there is none."""
    texts = [matrix.text() for matrix in MATRICES if matrix.has_run]
    if FIGURES:
        texts.append("\n".join(FIGURES))
    return "\n\n".join(texts)
