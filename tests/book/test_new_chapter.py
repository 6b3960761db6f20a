"""A new chapter is a text and a module: whatever else is missing is optional, or named in a sentence."""
import os
import shutil
import subprocess
import sys

import pytest

from tests import ROOT

PAGES = ("README.md", "TEACHERS.md", "docs/notes.md")
TITLE = "# 17 · A new chapter\n\n**What is new?**\n"
MODULE = """
from ...classroom.questions import Option, Question

QUESTIONS = (Question("17.1", "How many?", (
    Option("one", None, "It is one."), Option("two", "M12", "It is one.")), told="It is one"),)
"""
ASKED = """
```{code-cell}
:tags: [setup]

import minigrad as torch
from minigrad.book import *
chapter(17)
```

```{code-cell}
:tags: [book, predict]

predict("17.1")
```
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the book, with the first lines of a chapter 17."""
    folder = tmp_path_factory.mktemp("book")
    shutil.copytree(ROOT / "minigrad", folder / "minigrad", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "notebooks" / "text", folder / "notebooks" / "text")
    (folder / "docs").mkdir()
    for name in PAGES:
        shutil.copy(ROOT / name, folder / name)
    [appendix] = (folder / "notebooks" / "text").glob("16_*.md")
    head = appendix.read_text(encoding="utf-8").partition("# 16")[0]
    (folder / "notebooks" / "text" / "17_new.md").write_text(head + TITLE, encoding="utf-8")
    return folder


def book(folder, *words):
    """What `python -m minigrad.book` prints in a folder."""
    done = subprocess.run([sys.executable, "-B", "-m", "minigrad.book", *words], cwd=folder, text=True,
                          env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def test_each_command_does_its_work_or_names_what_is_missing(copy):
    pytest.importorskip("nbclient")
    module = copy / "minigrad" / "book" / "content" / "chapters" / "ch17.py"
    text = copy / "notebooks" / "text" / "17_new.md"
    assert "titles.py: it is older than notebooks/text/17_new.md: python -m minigrad.book write" in book(
        copy, "check", "17")
    assert "17_new.ipynb: " in book(copy, "run", "17")
    assert "chapter 17 has a text, but no module: write minigrad/book/content/chapters/ch17.py" in book(
        copy, "check", "17")

    module.write_text(MODULE, encoding="utf-8")
    found = book(copy, "check", "17")
    assert "ch17.py:4: question 17.1 has no predict cell: add a cell with the tags [book, predict]" in found
    assert "17_new.md: the second cell is not the setup" in found and "title and its question" not in found
    build = ["build", "17", "--to", str(copy / "build"), "--only"]
    assert "no cell of the chapter asks question 17.1: add one to its text" in book(copy, *build, "slides")
    assert "chapter 17    1 files" in book(copy, *build, "student")

    text.write_text(text.read_text(encoding="utf-8") + ASKED, encoding="utf-8")
    assert "17_new.ipynb: 2 cells in" in book(copy, "run", "17")
    assert "chapter 17    1 files" in book(copy, *build, "slides")


@pytest.mark.parametrize(("program", "says"), [
    ("from minigrad.book.content.chapters.on_paper import paper_of; paper_of(17)",
     "add a row 17: OnPaper(caption) to ON_PAPER in minigrad/book/content/chapters/on_paper.py"),
    ("from minigrad.book.build.pages import Cell, cell_tagged; "
     "cell_tagged([Cell(0, 'markdown', '# 17 · New', frozenset())], 'aha')",
     "'# 17 · New' has no cell with the tag aha: add one to its text"),
])
def test_what_a_sheet_of_paper_lacks_is_named(program, says):
    with pytest.raises(ValueError) as raised:
        exec(program, {})
    assert says in str(raised.value)
