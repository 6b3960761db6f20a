"""A chapter's text makes its notebook, and the notebook its text, without a loss."""
import copy
import json
import re

import pytest

from minigrad.book import __main__ as command
from minigrad.book.build import checking, run_chapters, source, tables
from minigrad.book.build.callouts import as_markdown
from minigrad.book.build.source import made, normal, same, text_of_notebook, written
from tests import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


# --- the chapters ------------------------------------------------------------------------------

def test_every_notebook_has_its_text():
    assert [path.stem for path in NOTEBOOKS] == sorted(path.stem for path in source.TEXTS.iterdir())


@each
def test_a_notebook_is_the_one_that_its_text_makes(path):
    """Or else: python -m minigrad.book run, or text where the notebook was edited."""
    notebook = made(text_of_notebook(path).read_text(encoding="utf-8"))
    assert same(load(path), notebook)
    assert not source.edited(load(path))
    assert source.notebook_of_text(text_of_notebook(path)) == path


@each
def test_a_text_is_the_one_that_its_notebook_makes(path):
    assert written(load(path)) == text_of_notebook(path).read_text(encoding="utf-8")


# --- a nasty notebook --------------------------------------------------------------------------

def markdown(words, **more):
    return {"cell_type": "markdown", "metadata": {}, "source": words, **more}


def code(words, *tags):
    return {"cell_type": "code", "metadata": {"tags": list(tags)} if tags else {}, "source": words,
            "execution_count": None, "outputs": []}


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
NASTY = [
    markdown("# 6 · Größe, 数, 🙂 and `x`\n\n**Why?**\n\n40 minutes · needs nothing"),
    markdown("---\nnot: front matter\n---"),
    markdown("## Two texts  \nwith two trailing spaces,\n\n+ a list\n\n    indented"),
    markdown("![a](attachment:a.png)", attachments={"a.png": {"image/png": PIXEL}}),
    markdown("A fence of its own:\n\n````md\n```{code-cell}\nx\n```\n+++\n````"),
    code('"""\n```python\n````\n+++\n---\n"""'),
    code("+++ 1"),
    code(":tags: [no, tags]\nx = 1"),
    code("---\nno: yaml\n---"),
    code("%%time\n!ls   \n%matplotlib inline"),
    code("x = 1   \n\n\n    \ny = 'ä\\n'  # ´ “quoted”\u00a0—", "viz", "A2", "no", "12", "1e3"),
    code(""),
    code("", "exercise", "6a"),
    code("same"),
    code("same"),
    code("a\n" * 3 + "b", *[f"claim-{n}" for n in range(40)]),
    markdown("<details>\n\n$$x_1$$\n\n| a | b |\n|---|---|\n| `\\|` | {{ minutes }} |\n\n</details>"),
    {"cell_type": "raw", "metadata": {"format": "text/latex"}, "source": "\\LaTeX\n```\n+++"},
    markdown("> **⚠ Trap** quoted\n>\n> twice", metadata={"tags": ["M12", "a b: {c}"]}),
    code("last", "solution", "6a"),
]


def nasty():
    return {"cells": copy.deepcopy(NASTY), "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"minigrad": {"afterwards": "say: 'yes' — #1, {a}", "leave_out": "6c"}}}


def test_a_nasty_notebook_comes_back():
    text = written(nasty())
    again = made(text)
    assert normal(again) == normal(nasty())
    assert written(again) == text
    words = [as_markdown(cell["source"]) for cell in again["cells"]]
    assert words[1:] == [cell["source"] for cell in NASTY[1:]]
    assert re.search(r"^\d+ minutes · needs nothing", words[0], re.MULTILINE)
    lesson = again["metadata"]["minigrad"]
    assert {**nasty()["metadata"]["minigrad"], "cells": lesson["cells"]} == lesson
    assert again["cells"][3]["attachments"] == NASTY[3]["attachments"]


def test_a_nasty_notebook_is_one_that_jupyter_reads():
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.from_dict(made(written(nasty()))))


def test_ids_depend_on_the_cell_alone():
    before = [cell["id"] for cell in made(written(nasty()))["cells"]]
    assert len(set(before)) == len(before)
    changed = nasty()
    changed["cells"][9]["source"] = "x = 2"
    del changed["cells"][6]
    after = [cell["id"] for cell in made(written(changed))["cells"]]
    assert len(set(before) - set(after)) == 2
    assert len(set(after) - set(before)) == 1


@pytest.mark.parametrize("words", [
    "text\n\n+++\n\ntext", "```{code-cell}\nx\n```", "```\nan open fence", "<!-- an open comment",
    "a line\u2028another", "a\x0cb"])
def test_what_would_be_lost_is_refused(words):
    notebook = {"cells": [markdown("first"), markdown(words), code("x"), markdown("y")], "metadata": {}}
    with pytest.raises(source.Unreadable, match="cannot be written as text. A text must close its fences"):
        written(notebook)


@pytest.mark.parametrize("kind", ["exercise", "check"])
def test_a_cell_with_an_answer_may_fail_and_the_text_does_not_say_so(kind):
    text = f"```{{code-cell}}\n:tags: [{kind}, 6a]\n\nx = 1\n```\n"
    notebook = made(text)
    assert notebook["cells"][0]["metadata"]["tags"] == [kind, "6a", "raises-exception"]
    assert written(notebook).endswith(text)
    assert not source.edited(notebook)


def test_what_nobody_sees_is_left_out():
    traces = {"tags": [], "scrolled": True, "jupyter": {"source_hidden": True}}
    cells = [markdown("\n\nwords \n\n"), markdown(" \n"),
             {**code("\n\n  x = 1\n\n"), "metadata": traces}]
    found = made(written({"cells": cells, "metadata": {}}))["cells"]
    assert [(cell["source"], cell["metadata"]) for cell in found] == [("words", {}), ("  x = 1", {})]


@pytest.mark.parametrize(("text", "says"), [
    ("+++ {tags: [a]}\n\nwords\n", r"6\.md: Markdown cell 0 at line 1 could not be read"),
    ("```{code-cell}\n:tags: [a\n\nx\n```\n", r"6\.md, line 2: Code cell 0 at line 1 could not be read"),
    ("```{code-cell}\n:tags: viz\n\nx\n```\n",
     r"6\.md, line 2: 'viz' is not of type 'array'\. Tags are words, written as"),
    ("```{code-cell}\n:tags: [1]\n\nx\n```\n", r"6\.md, line 2: 1 is not of type 'string'")])
def test_a_text_with_a_slip_says_where(text, says):
    with pytest.raises(source.Unreadable, match=says):
        made(text, "6.md")


def test_what_follows_from_a_tag_is_added():
    cell = "```{code-cell}\n:tags: [%s]\n\nx\n```\n\n"
    text = cell % "solution, 6b" + cell % "hide-input"
    solution, hidden = [cell["metadata"] for cell in made(text)["cells"]]
    assert solution["nbgrader"]["grade_id"] == "solution-6b"
    assert solution["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    assert hidden["jupyter"] == {"source_hidden": True}


# --- the commands ------------------------------------------------------------------------------

STEM = "06_why_cant_i_go_back_twice"


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The text and the notebook of chapter 6, and the pages, to be edited."""
    folder = tmp_path / "notebooks"
    (folder / "text").mkdir(parents=True)
    for path in (ROOT / "README.md", ROOT / "TEACHERS.md"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for name in (f"{STEM}.ipynb", f"text/{STEM}.md"):
        (folder / name).write_bytes((ROOT / "notebooks" / name).read_bytes())
    titles = tmp_path / "titles.py"
    titles.write_bytes(tables.TITLES.read_bytes())
    for name, value in {"tables.TITLES": titles, "tables.ROOT": tmp_path, "source.NOTEBOOKS": folder,
                        "source.TEXTS": folder / "text", "run_chapters.NOTEBOOKS": folder}.items():
        monkeypatch.setattr(f"minigrad.book.build.{name}", value)
    return folder / "text" / f"{STEM}.md", folder / f"{STEM}.ipynb"


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def line_of(path, words):
    return path.read_text(encoding="utf-8").partition(words)[0].count("\n") + 1


def test_check_finds_nothing_in_the_chapter(copied, capsys):
    assert command.main(["check", "6"]) == 0
    *advice, last = capsys.readouterr().out.splitlines()
    assert last == "nothing to change" and all(": advice: " in line for line in advice)


def test_check_says_where_and_what_to_change(copied, capsys):
    text, _ = copied
    replace(text, "## What an operation saves\n", "##### What saves\n")    # as many words as before
    replace(text, "So the node stores `b`.", "The node of `tanh` saves its result. ⏱")
    assert command.main(["check", "6"]) == 1
    said = capsys.readouterr().out
    name, line = f"notebooks/text/{STEM}.md", line_of(text, "The node of `tanh`")
    assert f"{name}:{line}: 'saves its result' stands before the comparison of 6.1" in said
    assert 'move it below reveal("6.1")' in said
    assert f"{name}:{line}: '⏱' needs an emoji font: write a word" in said
    heading = line_of(text, "##### What")
    assert f"{name}:{heading}: a heading of level 5 follows one of level 1: write ## in front of it" in said
    assert f"notebooks/{STEM}.ipynb: the text is newer: python -m minigrad.book run {STEM}" in said
    assert said.endswith("4 to change\n")


def test_check_names_the_tables_that_are_old(copied, capsys):
    text, _ = copied
    replace(text, "# 6 · Why can't I go back twice?", "# 6 · Another title")
    assert command.main(["check", "6"]) == 1
    said = capsys.readouterr().out
    for name in "titles.py", "README.md", "TEACHERS.md":
        assert f"{name}: it is older than notebooks/text/{STEM}.md: python -m minigrad.book write" in said


def test_a_question_without_its_words_is_named_with_its_line(copied, monkeypatch):
    found = checking.rules.Finding("it has no `told`", "add it", question="6.2")
    text, _ = copied
    monkeypatch.setattr("minigrad.book.build.rules.OF_TEXTS", [lambda chapter: [found]])
    lines = [line for line in map(str, checking.check(text)) if ": advice: " not in line]
    module = ROOT / "minigrad/book/content/chapters/ch06.py"
    line = line_of(module, 'Question("6.2')
    assert lines == [f"minigrad/book/content/chapters/ch06.py:{line}: it has no `told`: add it"]


def test_a_notebook_that_somebody_edited_is_left_alone(copied, capsys, monkeypatch):
    text, path = copied
    replace(path, "So the node stores", "So every node stores")
    edited = path.read_bytes()
    monkeypatch.setattr(run_chapters, "run", lambda *_: pytest.fail("it was run"))
    assert command.main(["run", "6"]) == 1
    said = capsys.readouterr().err
    assert f"`python -m minigrad.book text {STEM}` writes the text from it" in said
    assert f"`python -m minigrad.book run {STEM} --force` gives its changes up" in said
    assert path.read_bytes() == edited

    assert command.main(["text", "6"]) == 0
    assert "So every node stores" in text.read_text(encoding="utf-8")


def test_an_edit_of_the_text_is_no_edit_of_the_notebook(copied):
    text, path = copied
    replace(text, "So the node stores", "So every node stores")
    run_chapters.keeps_edits(text)
    assert "the text is newer" in "".join(map(str, checking.check(text)))


@pytest.mark.parametrize("change", [
    lambda cells: cells.pop(3), lambda cells: cells.insert(3, cells.pop(4)),
    lambda cells: cells[2]["metadata"].update(tags=["M12"]), lambda cells: cells[2].update(source="other")])
def test_every_kind_of_edit_is_seen(copied, change):
    _, path = copied
    notebook = load(path)
    assert not source.edited(notebook)
    change(notebook["cells"])
    assert source.edited(notebook)


def test_what_jupyterlab_stores_when_somebody_only_looks_is_no_edit(copied):
    _, path = copied
    notebook = load(path)
    notebook["cells"][1]["metadata"].update(scrolled=True, execution={"iopub.status.busy": "now"})
    notebook["cells"][1].update(outputs=[], execution_count=7)
    notebook["metadata"]["language_info"]["version"] = "3.14.0"
    assert not source.edited(notebook)


def test_a_cell_that_fails_leaves_the_notebook(copied, capsys, monkeypatch):
    text, path = copied
    before = path.read_bytes()
    monkeypatch.setattr("minigrad.book.build.tables.outdated", list)
    text.write_text(text.read_text(encoding="utf-8").partition("## What an")[0]
                    + "```{code-cell}\nno_such_name\n```\n", encoding="utf-8")
    assert command.main(["run", "6"]) == 1
    said = capsys.readouterr().err
    assert f"{path.name} and the tables stay as they were, for a cell failed." in said
    assert "NameError" in said
    assert path.read_bytes() == before


# --- what is generated -------------------------------------------------------------------------

def test_a_table_on_a_page_is_replaced_and_the_page_is_not():
    page = "before\n" + tables.IN_README + "| old |\n| old |\n\nafter\n"
    assert tables.with_table(page, tables.IN_README, ["| new |\n"]) == (
        "before\n" + tables.IN_README + "| new |\n\nafter\n")
    with pytest.raises(ValueError, match="has no table with the head"):
        tables.with_table("before", tables.IN_README, [])


def test_what_is_counted_is_written_everywhere():
    facts = tables.Facts(0, "A title", "Why?", 7, "do it", evening=58)
    longer = tables.Facts(1, "Another", "Who?", 99, "be it")
    readme = tables.readme((ROOT / "README.md").read_text(encoding="utf-8"), [facts, longer])
    assert "| 0 · A title | 7 | Why? |\n| 1 · Another | 99 | Who? |\n\n" in readme
    assert "about 58 minutes in all" in readme
    teachers = tables.teachers((ROOT / "TEACHERS.md").read_text(encoding="utf-8"), [facts, longer])
    assert re.search(r"\| 0 · A title \|.*\| 7 \| do it \|\n"
                     r"\| 1 · Another \|.*\| 99 \| be it \|\n\n", teachers)
    assert "each takes one learner 99 to 99 minutes" in teachers
    assert '    1: ("Another", 99),\n' in tables.titles("", [facts, longer])


@pytest.mark.parametrize(("notebook", "says"), [
    (made("# 6 · Title\n\nno question\n"), "begins with a title and a question"),
    (made("no title\n"), "begins with a title and a question")])
def test_a_text_that_lacks_what_the_tables_say_is_refused(notebook, says):
    with pytest.raises(source.Unreadable, match=says):
        tables.facts_of(notebook, "6.md")
