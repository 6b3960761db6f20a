"""A new chapter is a text and a module: whatever else is missing is optional, or named in a sentence."""
import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source, find_spec
from pathlib import Path

import pytest

from tests import ROOT

PAGES = ("README.md", "TEACHERS.md", "docs/notes.md")
TITLE = "# 17 · A new chapter\n\n**What is new?**\n"
MODULE = """
from ...classroom.questions import Option, Question

QUESTIONS = (Question("17.1", "How many?", (
    Option("1", None, "It is one."), Option("2", "M12", "It is one.")), told="It is one",
    decided=lambda printed: printed),)
"""
EXERCISE = """
from ...classroom.exercise import Exercise

EXERCISES = (Exercise("17a", "Do it"),)
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

```{code-cell}
print(1)
```

```{code-cell}
:tags: [book, reveal]

reveal("17.1")
```
"""
BOTH_COMMANDS = """
from minigrad.book.__main__ import main
main(["check", "17"])
print("AND", flush=True)
main(["build", "17", "--to", "other", "--only", "slides"])
"""
NO_OPTIONS = 'QUESTIONS = (Question("17.1", "How many?"),)'  # a question without its options


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the book, with the first lines of a chapter 17."""
    folder = copy_of_the_book(tmp_path_factory.mktemp("book"))
    [appendix] = (folder / "notebooks" / "text").glob("16_*.md")
    head, _, _ = appendix.read_text(encoding="utf-8").partition("# 16")[0].partition("minigrad:")
    (folder / "notebooks" / "text" / "17_new.md").write_text(head + "---\n\n" + TITLE, encoding="utf-8")
    return folder


def copy_of_the_book(folder):
    """Copy what the commands read, with what Python has compiled, for each command is a new process."""
    shutil.copytree(ROOT / "minigrad", folder / "minigrad", ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copytree(ROOT / "notebooks" / "text", folder / "notebooks" / "text")
    (folder / "docs").mkdir()
    for name in PAGES:
        shutil.copy(ROOT / name, folder / name)
    return folder


def book(folder, *words):
    """Return what `python -m minigrad.book` prints in a folder."""
    return python(folder, "-m", "minigrad.book", *words)


def python(folder, *words):
    done = subprocess.run([sys.executable, *words], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout


def write_module(place, text):
    """Write a module. Python would take two texts of one length, written in the same second, for the same."""
    Path(cache_from_source(place)).unlink(missing_ok=True)
    place.write_text(text, encoding="utf-8")


def test_a_text_with_a_title_and_a_question_is_a_chapter(copy):
    pytest.importorskip("nbclient")
    module = copy / "minigrad" / "book" / "content" / "chapters" / "ch17.py"
    text = copy / "notebooks" / "text" / "17_new.md"
    assert "titles.py: it is older than notebooks/text/17_new.md: python -m minigrad.book write" in book(
        copy, "check", "17")
    assert "17_new.ipynb: " in book(copy, "run", "17")
    assert "chapter 17 has a text, but no module: write minigrad/book/content/chapters/ch17.py" in book(
        copy, "check", "17")

    write_module(module, MODULE)
    found = book(copy, "check", "17")
    assert "ch17.py:4: question 17.1 has no predict cell: add a cell with the tags [book, predict]" in found
    assert "17_new.md: the second cell is not the setup" in found and "title and its question" not in found
    build = ["build", "17", "--to", str(copy / "build"), "--only"]
    assert "question 17.1 has no predict cell" in book(copy, *build, "slides")

    text.write_text(text.read_text(encoding="utf-8") + ASKED, encoding="utf-8")
    found = book(copy, *build, "slides")
    assert "17_new.ipynb: the text is newer: python -m minigrad.book run 17_new" in found
    assert "17_new.ipynb: 4 cells in" in book(copy, "run", "17")
    found = book(copy, "check", "17")
    assert found.endswith("nothing to change\n"), found
    assert "chapter 17    1 files" in book(copy, *build, "slides,student")


@pytest.mark.parametrize(("module", "says"), [
    (MODULE.replace("printed),)", "2),)"), "17.1: "),  # a false key
    (MODULE.replace('"M12"', '"M999"'), "17.1 names the belief M999, which there isn't"),
    (MODULE.replace('"M12"', "None"), "question 17.1 has 2 options, and 2 of them right"),
    (MODULE.partition("QUESTIONS")[0] + NO_OPTIONS, "question 17.1 has 0 options, and 0 of them right"),
    (MODULE.replace("QUESTIONS = (", "QUESTIONS = (("), "ch17.py:4: SyntaxError: "),
    (MODULE.replace("Option, Question", "Option"), "ch17.py:4: NameError: "),
    ("", "the questions are to be written, in minigrad/book/content/chapters/ch17.py"),
    (MODULE + EXERCISE, "exercise 17a says nowhere what is right: it needs `expected`"),
    (MODULE + EXERCISE.replace('"Do it"', '"Do it", expected=lambda _: 1'), "the exercise of 17a is missing"),
])
def test_what_is_wrong_in_a_module_is_one_sentence(copy, module, says):
    """After the test above, which makes the chapter."""
    pytest.importorskip("nbclient")
    place = copy / "minigrad" / "book" / "content" / "chapters" / "ch17.py"
    whole = place.read_text(encoding="utf-8")
    write_module(place, module)
    try:
        checked, _, built = python(copy, "-u", "-c", BOTH_COMMANDS).partition("AND\n")
        assert says in checked
        assert says in built
        assert not (copy / "other").exists()
    finally:
        write_module(place, whole)


def test_the_chapter_that_the_page_for_authors_gives_runs_and_is_built(tmp_path_factory):
    pytest.importorskip("nbclient")
    pytest.importorskip("nbconvert")
    folder = copy_of_the_book(tmp_path_factory.mktemp("own"))
    page = (ROOT / "docs" / "new_chapter.md").read_text(encoding="utf-8")
    text = page.partition("````text\n")[2].partition("\n````")[0] + "\n"
    module = page.partition("\n```python\n")[2].partition("\n```")[0] + "\n"
    (folder / "notebooks" / "text" / "17_two_branches.md").write_text(text, encoding="utf-8")
    (folder / "minigrad" / "book" / "content" / "chapters" / "ch17.py").write_text(module, encoding="utf-8")
    assert "17_two_branches.ipynb: 8 cells in" in book(folder, "run", "17")
    assert book(folder, "check", "17").endswith("nothing to change\n")
    build = ["build", "17", "--to", str(folder / "build")]
    assert "chapter 17    1 files" in book(folder, *build, "--only", "slides")
    if find_spec("pypandoc") and find_spec("typst"):
        assert "lesson     chapter 17" in book(folder, *build)
    notebook = folder / "notebooks" / "text" / "17_two_branches.md"
    notebook.write_text(text.replace("x > 2, x * 5, x", "x > 1, x * 5, x"), encoding="utf-8")
    assert "the text is newer" in book(folder, *build, "--only", "slides")
    book(folder, "run", "17")
    assert "17.1: " in book(folder, *build, "--only", "slides")     # the key no longer fits the cell


def test_a_text_that_lacks_a_cell_of_an_exercise_is_told_so():
    from minigrad.book.build.pages import Cell
    from minigrad.book.build.tasks import stub_and_solution, words
    from minigrad.book.content.chapters import of
    exercise, page = of(6).EXERCISES[0], [Cell(0, "code", "", frozenset({"exercise", "6a"}))]
    with pytest.raises(ValueError, match="no cell with the tags solution and 6a"):
        stub_and_solution(page, exercise)
    with pytest.raises(ValueError, match=r"no box that begins with > \*\*✎ Your turn 6a"):
        words(page, "6a")


def test_a_picture_that_no_chapter_has_is_named():
    from minigrad.book.build.pages import Cell, cell_tagged
    with pytest.raises(ValueError, match="'# 17 · New' has no cell with the tag aha: add one to its text"):
        cell_tagged([Cell(0, "markdown", "# 17 · New", frozenset())], "aha")
