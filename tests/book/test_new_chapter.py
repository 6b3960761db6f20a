"""A new chapter is a text and a module: whatever else is missing is optional, or named in a sentence.

The chapter has the first number that is free. Each test makes its own copy of the book, or leaves the one
that it was given as it was.
"""
import json
import os
import shutil
import subprocess
import sys
from importlib.util import cache_from_source, find_spec
from pathlib import Path
from types import ModuleType

import pytest

from minigrad.book.content import chapters
from minigrad.book.content.chapters.faults import PARTS, faults
from tests import ROOT
from tests.helpers.stored_chapters import load

NUMBER = max(int(path.name[:2]) for path in (ROOT / "notebooks" / "text").glob("[0-9][0-9]_*.md")) + 1
PAGES = ("README.md", "TEACHERS.md", "docs/notes.md")
TITLE = "# 17 · A new chapter\n\n**What is new?**\n"
MODULE = """
from ...classroom.questions import Option, Question

QUESTIONS = (Question("17.1", "How many does the next cell print?", (
    Option("1", None, "It is one."), Option("2", "M12", "It is one.")), told="It is one",
    decided=lambda printed: printed.split()[-1]),)
"""
EXERCISE = """
from ...classroom.exercise import Exercise

EXERCISES = (Exercise("17a", "Do it"),)
"""
WITH_HINTS = EXERCISE.replace('"Do it"', '"Do it", expected=lambda _: 1, hints=HINTS')
SETUP = """
```{code-cell}
:tags: [setup]

import minigrad as torch
from minigrad.book import *
chapter(17)
```
"""
PREDICT = """
```{code-cell}
:tags: [book, predict]

predict("17.1")
```
"""
REVEAL = """
```{code-cell}
:tags: [book, reveal]

reveal("17.1")
```
"""
ASKED = f"""{SETUP}{PREDICT}
```{{code-cell}}
print(1)
```
{REVEAL}"""
EXERCISED = """
> **✎ Your turn 17a** Do it.

```{code-cell}
:tags: [book, exercise, 17a]

answer_17a = {"a": None, "b": None}
```

```{code-cell}
:tags: [book, solution, 17a]

### BEGIN SOLUTION
answer_17a = {"a": 1., "b": 2.}
### END SOLUTION
```

```{code-cell}
:tags: [book, check]

check("17a", answer_17a)
```
"""
CURVES = """
```{code-cell}
:tags: [aha]

curves({"loss": [3., 2., 1.5]}, alt="The loss falls.")
```
"""
FIGURE = """
```{code-cell}
:tags: [aha]

from matplotlib import pyplot
figure, axes = pyplot.subplots()
axes.bar(["sum", "mean"], [4, 1])
```
"""
COMMANDS = """
import json
import sys
from minigrad.book.__main__ import main
for words in json.loads(sys.argv[1]):
    main(words)
    print("NEXT", flush=True)
"""
NO_OPTIONS = 'QUESTIONS = (Question("17.1", "How many?"),)'  # a question without its options


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the book with a chapter that asks one question, and was run."""
    pytest.importorskip("nbclient")
    folder = copy_of_the_book(tmp_path_factory.mktemp("book"))
    write_chapter(folder, TITLE + ASKED, MODULE)
    assert ".ipynb: 4 cells in" in book(folder, "run", NUMBER)
    return folder


def numbered(words):
    """The words of chapter 17 for the chapter that is free."""
    return words.replace("17", str(NUMBER))


def text_of(folder):
    return folder / "notebooks" / "text" / f"{NUMBER}_new.md"


def module_of(folder):
    return folder / "minigrad" / "book" / "content" / "chapters" / f"ch{NUMBER}.py"


def write_chapter(folder, text, module=None):
    """Write a text, with the front matter of the appendix unless it brings its own, and a module."""
    [appendix] = (folder / "notebooks" / "text").glob("16_*.md")
    head, _, _ = appendix.read_text(encoding="utf-8").partition("# 16")[0].partition("minigrad:")
    words = numbered(text if text.startswith("---") else f"{head}---\n\n{text}")
    text_of(folder).write_text(words, encoding="utf-8")
    if module is not None:
        write_module(module_of(folder), numbered(module))


def copy_of_the_book(folder):
    """Copy what the commands read, with what is compiled, and two texts: a run counts the words of all."""
    shutil.copytree(ROOT / "minigrad", folder / "minigrad", ignore=shutil.ignore_patterns("*.pyc.*"))
    (folder / "notebooks" / "text").mkdir(parents=True)
    for name in "16_from_the_notes.md", "gallery.md":
        shutil.copy(ROOT / "notebooks" / "text" / name, folder / "notebooks" / "text")
    (folder / "docs").mkdir()
    for name in PAGES:
        shutil.copy(ROOT / name, folder / name)
    return folder


def book(folder, *words):
    """Return what `python -m minigrad.book` prints in a folder."""
    return python(folder, "-m", "minigrad.book", *map(str, words))


def each(folder, *commands):
    """Return what several commands print, in one process; which doesn't know a title written later."""
    words = json.dumps([list(map(str, command)) for command in commands])
    *said, _ = python(folder, "-u", "-c", COMMANDS, words).split("NEXT\n")
    assert len(said) == len(commands)
    return said


def python(folder, *words):
    said = said_by_python(folder, *words)
    assert "Traceback" not in said, said
    return said


def said_by_python(folder, *words):
    """Return what Python prints in a folder, perhaps with the traceback of a cell."""
    return subprocess.run([sys.executable, *words], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120).stdout


def write_module(place, text):
    """Write a module. Python would take two texts of one length, written in the same second, for the same."""
    Path(cache_from_source(place)).unlink(missing_ok=True)
    place.write_text(text, encoding="utf-8")


def test_a_text_with_a_title_and_a_question_is_a_chapter(tmp_path):
    pytest.importorskip("nbclient")
    folder = copy_of_the_book(tmp_path)
    write_chapter(folder, TITLE)
    assert f"titles.py: it is older than notebooks/text/{NUMBER}_new.md: " in book(folder, "check", NUMBER)
    assert "_new.ipynb: " in book(folder, "run", NUMBER)
    assert f"chapter {NUMBER} has a text, but no module: write minigrad/book/content/chapters/ch" in book(
        folder, "check", NUMBER)

    write_module(module_of(folder), numbered(MODULE))
    build = ["build", NUMBER, "--to", folder / "build", "--only"]
    found, built = each(folder, ["check", NUMBER], [*build, "slides"])
    assert f"ch{NUMBER}.py:4: question {NUMBER}.1 has no predict cell: add a cell with the tags" in found
    assert "claimed by" not in found    # nothing is printed that could decide it
    assert "_new.md: the second cell is not the setup" in found and "title and its question" not in found
    assert found.index("to change") > found.rindex("advice: ") > found.rindex("is not the setup")
    assert "the chapter asks no question" in built

    write_chapter(folder, TITLE + ASKED)
    assert "_new.ipynb: the text is newer: python -m minigrad.book run" in book(folder, *build, "slides")
    ran, found, built = each(folder, ["run", NUMBER], ["check", NUMBER], [*build, "slides,student"])
    assert "_new.ipynb: 4 cells in" in ran
    assert found.endswith("nothing to change\n"), found
    assert f"chapter {NUMBER}    1 files" in built

    text_of(folder).unlink()
    module_of(folder).unlink()
    written, again = each(folder, ["write"], ["write"])
    assert "titles.py" in written and again == ""
    assert "A new chapter" not in "".join((folder / page).read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize(("module", "says"), [
    (MODULE.replace("printed.split()[-1]),)", "2),)"), "17.1: "),  # a false key
    (MODULE.replace('"2", "M12"', '"1", "M12"'), "ch17.py:4: question 17.1 has the option '1' twice"),
    (MODULE.replace('"M12"', '"M999"'), "17.1 names the belief M999, which there isn't"),
    (MODULE.replace("QUESTIONS = (", "QUESTIONS = (("), "ch17.py:4: SyntaxError: "),
    ("", "the questions are to be written, in minigrad/book/content/chapters/ch17.py"),
    (MODULE + EXERCISE.replace('"Do it"', '"Do it", expected=lambda _: 1'), "the exercise of 17a is missing"),
    (MODULE + EXERCISE.replace('"Do it"', '"Do it", expected=lambda numbers: numbers[0]'),
     "ch17.py:10: what is right in 17a can't be computed without a seat, where its numbers are None: Type"),
])
def test_what_is_wrong_in_a_module_is_one_sentence(copy, module, says):
    place = module_of(copy)
    try:
        write_module(place, numbered(module))
        checked, built = each(copy, ["check", NUMBER],
                              ["build", NUMBER, "--to", copy / "other", "--only", "slides"])
        assert numbered(says) in checked
        assert numbered(says) in built
        assert not (copy / "other").exists()
    finally:
        write_module(place, numbered(MODULE))


@pytest.mark.parametrize(("module", "says"), [
    (MODULE.replace('"M12"', "None"), "question 17.1 has 2 options, and 2 of them right"),
    (MODULE.partition("QUESTIONS")[0] + NO_OPTIONS, "question 17.1 has 0 options, and 0 of them right"),
    (MODULE + EXERCISE, "exercise 17a says nowhere what is right: it needs `expected`"),
    (MODULE.replace("),)\n", "))\n"), "QUESTIONS is no tuple, but one Question: write QUESTIONS = "
                                      "(Question(...),), with a comma before the last bracket"),
    (MODULE + EXERCISE.replace("),)", "))"), "EXERCISES is no tuple, but one Exercise: write "),
    (MODULE + 'IDEAS = ("mean")\n', "IDEAS is no tuple, but a str: write IDEAS = ("),
    (MODULE.replace(', Option("2", "M12", "It is one.")', ""),
     "the options of question 17.1 are no tuple, but one Option: a question needs 2 to 4"),
    (MODULE + WITH_HINTS.replace("HINTS", '("one hint")'),
     "exercise 17a needs two hints, and its `hints` are a str: write hints=("),
    (MODULE + WITH_HINTS.replace("HINTS", '("one hint",)'), "17a needs two hints, and its `hints` are 1: "),
    (MODULE.replace("lambda printed: printed.split()[-1]", '"0.6"'),
     "`decided` of question 17.1 must be a function, but is '0.6': write it with"),
    (MODULE.replace('told="It is one"', 'told="f(x"'),
     "`told` of question 17.1 is 'f(x', which is no regular expression (missing ), unterminated"),
])
def test_each_fault_of_a_module_is_named(module, says):
    made = ModuleType(chapters.__name__ + ".ch17")
    made.__dict__.update(dict.fromkeys(PARTS, ()), __package__=chapters.__name__)
    exec(module, made.__dict__)
    assert any(says in fault for _, fault in faults(made))


def test_a_number_that_a_question_alone_still_has_is_named(copy):
    try:
        write_module(module_of(copy), numbered(MODULE.replace("How many", "After 93, how many")))
        found = book(copy, "check", NUMBER)
        assert f"ch{NUMBER}.py:4: advice: question {NUMBER}.1 speaks of 93, which is in no cell" in found
        assert found.endswith("nothing to change\n")
    finally:
        write_module(module_of(copy), numbered(MODULE))


def test_no_question_of_the_book_speaks_of_a_number_that_is_not_in_its_chapter():
    from minigrad.book.build import rules
    found = [str(one) for number in range(17) for rule in rules.outputs.ADVICE
             for one in rule(rules.chapter_of(number, load(number)))]
    assert found == []


LONG = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
minigrad:
  afterwards: %s
---

""" % ("say " * 20 + "a word")


@pytest.mark.parametrize(("text", "says"), [
    (TITLE.replace("**", ""), "_new.md begins with a title and a question: '# 17 · Title'"),
    (TITLE.replace("# 17", "# 3"), "_new.md begins with a title and a question: '# 17 · Title'"),
    (TITLE + ASKED.replace("print(1)\n```", "print(1)"), "the code cell that begins here has no end"),
    (LONG + TITLE + ASKED,
     ".md:11: the notebook gives the text back in another form: write '  afterwards: say say "),
    (TITLE + "\n" + ASKED,
     ".md:15: the notebook gives the text back in another form: leave out an empty line\n"),
    (TITLE + "\n![a cat](cat.png)\n" + ASKED, ".md:16: the picture cat.png isn't there: put it at"),
])
def test_what_is_wrong_in_a_text_is_one_sentence(copy, text, says):
    try:
        write_chapter(copy, text)
        assert numbered(says) in book(copy, "check", NUMBER)
    finally:
        write_chapter(copy, TITLE + ASKED)


def test_a_run_that_fails_writes_nothing(copy):
    files = [copy / page for page in PAGES] + [copy / "minigrad/book/content/chapters/titles.py"]
    before = [path.read_bytes() for path in (*files, text_of(copy))]
    try:
        write_chapter(copy, TITLE.replace("A new", "A broken") + ASKED.replace("print(1)", "no_such_name"))
        found = said_by_python(copy, "-m", "minigrad.book", "run", str(NUMBER))
        assert "_new.ipynb and the tables stay as they were, for a cell failed" in found
        assert "NameError" in found and "written" not in found
        assert [path.read_bytes() for path in files] == before[:-1]
        write_chapter(copy, TITLE.replace("A new", "Another") + ASKED)
        found = book(copy, "run", NUMBER)
        assert "written: minigrad/book/content/chapters/titles.py" in found
        assert all(path.read_bytes() != old for path, old in zip(files[:2], before, strict=False))
    finally:
        write_chapter(copy, TITLE + ASKED)
        book(copy, "run", NUMBER)
    assert [path.read_bytes() for path in (*files, text_of(copy))] == before


def test_a_figure_of_matplotlib_gets_its_words_from_one_call(copy):
    pytest.importorskip("matplotlib")
    try:
        write_chapter(copy, TITLE + ASKED + FIGURE)
        _, found = each(copy, ["run", NUMBER], ["check", NUMBER])
        assert ("no picture with its words: end the cell with a picture that says in words what it shows, "
                'such as show_figure(figure, alt="...") for matplotlib') in found
        called = FIGURE.replace("\n```\n", '\nshow_figure(figure, alt="The sum is larger.")\n```\n')
        write_chapter(copy, TITLE + ASKED + called)
        _, found = each(copy, ["run", NUMBER], ["check", NUMBER])
        assert found.endswith("nothing to change\n")
        stored = copy / "notebooks" / f"{NUMBER}_new.ipynb"
        [shown] = json.loads(stored.read_text(encoding="utf-8"))["cells"][-1]["outputs"]    # it is there once
        assert "".join(shown["data"]["text/plain"]) == "The sum is larger."
        assert ' alt="The sum is larger."' in "".join(shown["data"]["text/html"])
    finally:
        write_chapter(copy, TITLE + ASKED)
        book(copy, "run", NUMBER)


def test_a_pipe_that_is_closed_is_no_error(copy):
    done = subprocess.run(f"{sys.executable} -m minigrad.book check | true", shell=True, cwd=copy, text=True,
                          env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, timeout=120)
    assert done.stdout + done.stderr == ""


def test_what_sheets_and_slides_have_of_a_chapter_without_a_graph(tmp_path):
    """Curves, an answer with two keys, and a program that reads a drawer under no_grad."""
    pytest.importorskip("nbclient")
    pytest.importorskip("nbconvert")
    folder = copy_of_the_book(tmp_path)
    program = ("w = torch.tensor([1., 2.], requires_grad=True)\nloss = (w * w).sum()\nloss.backward()\n"
               "with torch.no_grad():\n    w -= 0.5 * w.grad\nprint(1 + int(w.sum()))")
    first, second = program.partition("with")[0], "with" + program.partition("with")[2]
    cell = "\n```{code-cell}\n%s\n```\n"
    asked = TITLE + SETUP + "\nText.\n" + cell % first.strip() + PREDICT + cell % second + REVEAL
    write_chapter(folder, asked + CURVES + EXERCISED,
                  MODULE + EXERCISE.replace('"Do it"', '"Do it", expected=lambda _: {"a": 1., "b": 2.}'))
    build = ["build", NUMBER, "--to", folder / "build"]
    assert each(folder, ["run", NUMBER], ["check", NUMBER])[1].endswith("nothing to change\n")
    assert f"chapter {NUMBER}    1 files" in book(folder, *build, "--only", "slides")
    found = asked_of(folder, """
from minigrad.book.build import keys, lessons, sheet_markdown, sheets
from minigrad.book.build.pdf import Form
four = [sheets.sheet(NUMBER, seat) for seat in "ABCD"]
say(program=four[0].predictions[0][1], words=four[0].picture.words, fields=four[0].tasks[0].fields,
    rows=[(row.label, row.answers) for row in keys.marking(four, 0)],
    sheet=sheet_markdown.student(four[0], Form().page("A")).text, minutes=lessons.lesson(NUMBER).minutes,
    plan=[row.what for row in lessons.lesson(NUMBER).paper])""")
    assert found["program"] == program
    assert "What" not in found["program"] and "How many does this program print?" in found["sheet"]
    assert found["words"].startswith("The loss falls.")
    assert found["fields"] == ["a", "b"]
    assert found["rows"][3:6] == [[numbered("✎ **17a**"), [""]],
                                  ["`a`", ["1"] * 4], ["`b`", ["2"] * 4]]
    assert "Fill in" not in found["sheet"] and "pagebreak" in found["sheet"]
    assert found["minutes"] == 28 and not any("ticket" in row for row in found["plan"])
    if find_spec("pypandoc") and find_spec("typst"):
        assert f"lesson     chapter {NUMBER}" in book(folder, *build)
    slides = (folder / "build" / "slides" / f"{NUMBER}.html").read_text(encoding="utf-8")
    assert "<h1>The picture</h1>" in slides and "The lines of the picture" not in slides

    write_chapter(folder, asked + EXERCISED.replace('"b": 2.', '"b": 3.'))
    assert "the check of the book's own solution printed" in each(
        folder, ["run", NUMBER], [*build, "--only", "slides"])[1]
    write_chapter(folder, asked + EXERCISED)    # there is no picture
    if find_spec("pypandoc") and find_spec("typst"):
        assert f"lesson     chapter {NUMBER}" in each(folder, ["run", NUMBER], build)[1]


def asked_of(folder, code):
    """What a program says in a copy of the book."""
    say = "import json\ndef say(**found):\n    print(json.dumps(found))\n"
    return json.loads(python(folder, "-c", say + code.replace("NUMBER", str(NUMBER))).splitlines()[-1])


def test_the_chapter_that_the_page_for_authors_gives_runs_and_is_built(tmp_path):
    pytest.importorskip("nbclient")
    pytest.importorskip("nbconvert")
    folder = copy_of_the_book(tmp_path)
    page = (ROOT / "docs" / "new_chapter.md").read_text(encoding="utf-8")
    text = page.partition("````text\n")[2].partition("\n````")[0] + "\n"
    write_chapter(folder, text, page.partition("\n```python\n")[2].partition("\n```")[0] + "\n")
    build = ["build", NUMBER, "--to", folder / "build"]
    ran, found = each(folder, ["run", NUMBER], ["check", NUMBER])
    assert "_new.ipynb: 8 cells in" in ran and found.endswith("nothing to change\n")
    assert f"chapter {NUMBER}    1 files" in book(folder, *build, "--only", "slides")
    if find_spec("pypandoc") and find_spec("typst"):
        assert f"lesson     chapter {NUMBER}" in book(folder, *build)
        found = asked_of(folder, """
from minigrad.book.build import class_sheets, lessons
from minigrad.book.build.pdf import Form
one = class_sheets.fitted(NUMBER, Form())
say(sheet=one.pages[0].text, minutes=lessons.lesson(NUMBER).minutes,
    home=lessons.lesson(NUMBER).leave_out)""")
        assert "you do the rest" in found["sheet"] and "turn" not in found["sheet"]     # it has one page
        assert "**Exit ticket.**" in found["sheet"]
        assert found["minutes"] == 30 and found["home"] == numbered("17a")
    write_chapter(folder, text.replace("[1., 2., 3., 6.]", "[1., 2., 3., 6., 8.]"))
    slides = [*build, "--only", "slides"]
    before, _, after = each(folder, slides, ["run", NUMBER], slides)
    assert "the text is newer" in before
    assert f"{NUMBER}.1: " in after     # the key no longer fits the cell


def test_a_module_is_found_before_there_is_a_title(monkeypatch):
    """So the first run of a chapter counts the words of its questions."""
    monkeypatch.delitem(chapters.CHAPTERS, 6)
    assert chapters.question("6.1").id == "6.1"
    with pytest.raises(ValueError, match="there is no chapter 99"):
        chapters.of(99)


def test_a_text_that_lacks_a_cell_of_an_exercise_is_told_so():
    from minigrad.book.build.pages import Cell
    from minigrad.book.build.tasks import stub_and_solution, words
    from minigrad.book.content.chapters import of
    exercise, page = of(6).EXERCISES[0], [Cell(0, "code", "", frozenset({"exercise", "6a"}))]
    with pytest.raises(ValueError, match="no cell with the tags solution and 6a"):
        stub_and_solution(page, exercise)
    with pytest.raises(ValueError, match=r"no box that begins with > \*\*✎ Your turn 6a"):
        words(page, "6a")


def test_a_cell_that_no_text_has_is_named():
    from minigrad.book.build.pages import Cell, cell_tagged
    with pytest.raises(ValueError, match="'# 17 · New' has no cell with the tag predict: add one to its"):
        cell_tagged([Cell(0, "markdown", "# 17 · New", frozenset())], "predict")


def test_a_program_that_would_print_something_else_has_all_lines_before_it():
    """`sgd.step()` changes `p`, and doesn't name it."""
    from minigrad.book.build.pages import Cell, as_code
    from minigrad.book.build.predicted import predicted
    first = ("p = torch.tensor(1., requires_grad=True)\nsgd = torch.optim.SGD([p], lr=0.5)\n"
             "p.backward()\nsgd.step()")
    texts = [first, "other = 5", 'predict("17.1")', "print(p.item(), other)", 'reveal("17.1")']
    tags = [(), (), ("predict",), (), ("reveal",)]
    few = "\n".join([*first.split("\n")[0:3:2], *texts[1::2]])
    for printed, program in ("0.5 5\n", "\n".join([*texts[:2], texts[3]])), ("1.0 5\n", few):
        output = {"output_type": "stream", "name": "stdout", "text": [printed]}
        page = tuple(Cell(at, "code", text, frozenset(tags[at]), [output] if at == 3 else ())
                     for at, text in enumerate(texts))
        assert as_code(predicted.__wrapped__(page, 2, "17.1")) == program


@pytest.mark.parametrize(("data", "width", "words"), [
    ({"image/svg+xml": '<svg width="144" height="72"></svg>', "text/plain": "Graph"}, "103.68pt", "Graph"),
    ({"text/html": '<p><svg viewBox="0 0 100 50"></svg></p>', "text/plain": "A line"}, "72.00pt", "A line"),
    ({"image/svg+xml": "<svg></svg>"}, "360.00pt", ""),
    ({"image/svg+xml": '<svg width="2in" height="1in"></svg>'}, "144.00pt", "")])
def test_a_stored_picture_has_its_size_in_points(data, width, words):
    from minigrad.book.build.stored_pictures import stored_picture
    found = stored_picture([{"output_type": "stream", "text": "1"}, {"data": data}])
    assert f'width="{width}"' in found.svg and found.svg.count("width=") == 1 and found.words == words
    assert stored_picture([{"output_type": "stream", "text": "1"}]) is None
