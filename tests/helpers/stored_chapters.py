"""The chapters as they are stored in notebooks/, and what tests ask of their cells."""
import json
import re

from minigrad.book.build import pages
from minigrad.book.build.counting import code_cells, source, tags, texts
from minigrad.book.build.rules import Cell
from minigrad.book.content.chapters import exercise
from minigrad.book.content.chapters.on_paper import ON_PAPER
from tests import ROOT

__all__ = ["FILES", "NOTEBOOKS", "OURS", "code_cells", "exercises_in", "load", "printed", "solution_lines",
           "source", "tags", "texts", "words_without_others"]
NOTEBOOKS = ROOT / "notebooks"
FILES = {int(path.name[:2]): path for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))}
# The chapters that the book comes with. A chapter of a teacher's own has what `check` asks for, and may have
# no plan of 50 minutes, no third option, and no error.
OURS = tuple(ON_PAPER)


def words_without_others(page):
    """The words of a page, without the rows of chapters that aren't ours."""
    lines = [line for line in page.splitlines()
             if not (row := re.match(r"\| (\d+) · ", line)) or int(row[1]) in OURS]
    return [word for line in lines for word in line.split() if any(map(str.isalnum, word))]


def load(number):
    return json.loads(FILES[number].read_text(encoding="utf-8"))


def printed(cell):
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])


def exercises_in(notebook):
    """The exercises with a stub in this notebook, its slice of the engine included."""
    return [exercise(Cell("code", source(cell), frozenset(tags(cell))).exercise)
            for cell in code_cells(notebook, "exercise")]


def solution_lines(number):
    """Lines of the chapter's solutions that stand nowhere else in it."""
    cells = pages.load(number)["cells"]
    rest = "\n".join(source(cell) for cell in cells if "solution" not in tags(cell))
    lines = [line.strip() for cell in cells if "solution" in tags(cell) for line in source(cell).splitlines()]
    return [line for line in lines if len(line) > 12 and not line.startswith("###") and line not in rest]
