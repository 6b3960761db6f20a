"""The labels of boxes: Markdown in the texts, a class for the style sheet in the notebooks, and back."""
import json
import re
from pathlib import Path

import pytest

from minigrad.book.build import callouts, counting, pages, source, students
from minigrad.book.build.callouts import CLASSES, as_markdown, labelled
from minigrad.book.build.rules.words import CALLOUTS
from minigrad.book.classroom import showing
from tests import ROOT
from tests.helpers.contrast import contrast

TEXTS = sorted((ROOT / "notebooks" / "text").glob("*.md"))
READER = ROOT / "minigrad" / "book" / "build" / "reader" / "reader.css"
BOX = "> **✎ Your turn 6a** Which of `these`?\n>\n> **◆ Rule** inside"


@pytest.mark.parametrize(("text", "made"), [
    ("> **◆ Rule** A pass", '> <b class="mg-rule">◆ Rule</b> A pass'),
    ("> **⚠ Trap** no", '> <b class="mg-trap">⚠ Trap</b> no'),
    ("> **✎ From the notes**\n>\n> x", '> <b class="mg-notes">✎ From the notes</b>\n>\n> x'),
    ("a\n\n> **✎ Your turn 6a** b", 'a\n\n> <b class="mg-turn">✎ Your turn 6a</b> b'),
    ("> **✎ Your caption** b", '> <b class="mg-caption">✎ Your caption</b> b'),
    ("> **◀ Old code** b", '> <b class="mg-old">◀ Old code</b> b'),
])
def test_a_label_gets_its_class_and_loses_it(text, made):
    assert labelled(text) == made and as_markdown(made) == text
    assert labelled(made) == made and as_markdown(text) == text


@pytest.mark.parametrize("text", [
    "**◆ Rule** not in a box", "> ◆ Rule without bold", "> **Note** well", "> **◆ Rule with <b>** x",
    "```\n> **◆ Rule** code\n```", "~~~~\n> **⚠ Trap** code\n~~~\n> **⚠ Trap** code\n~~~~",
    "```\n> **◆ Rule** an open fence", "    > **◆ Rule** indented code", '> <b class="x">◆ Rule</b>'])
def test_other_words_stay_as_they_are(text):
    assert labelled(text) == text == as_markdown(text)


def test_after_a_fence_labels_are_found_again():
    text = "```\n> **◆ Rule** code\n```\n\n> **◆ Rule** no code"
    assert labelled(text).count("mg-rule") == 1 and as_markdown(labelled(text)) == text


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_box_of_the_book_has_a_class(path):
    """tests/book/test_source.py holds that the text makes the notebook, and the notebook the text."""
    text = path.read_text(encoding="utf-8")
    made = json.loads((ROOT / "notebooks" / f"{path.stem}.ipynb").read_text(encoding="utf-8"))
    words = "\n".join("".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "markdown")
    assert not re.search(r"^> \*\*[◆⚠✎◀▶]", words, re.MULTILINE)
    assert words.count('<b class="mg-') == len(re.findall(r"^> \*\*[◆⚠✎◀▶]", text, re.MULTILINE))


def test_every_known_box_has_a_class():
    assert all(any(name.startswith(start) for start in CALLOUTS) for name in CLASSES)


def test_a_label_changes_neither_the_minutes_nor_the_names_of_cells():
    text = source.written({"cells": [{"cell_type": "markdown", "metadata": {}, "source": BOX}],
                           "metadata": {}})
    made = source.made(text)
    bare = callouts.with_markdown(json.loads(json.dumps(made)))
    assert '<b class="mg-turn">' in made["cells"][0]["source"] and bare["cells"][0]["source"] == BOX
    assert counting.minutes(made) == counting.minutes(bare)
    assert source.digest(made) == source.digest(bare) and not source.edited(bare)
    assert not source.same(made, bare)      # an older notebook is made again


def test_builders_read_markdown_and_learners_get_the_classes(monkeypatch, tmp_path):
    path = tmp_path / "06_x.ipynb"
    made = {"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": labelled(BOX)}],
            "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.setattr(pages, "NOTEBOOKS", tmp_path)
    read = pages.load(6)
    assert pages.text_of(read["cells"][0]) == BOX
    copied = json.loads(students.as_text(students.student(read)))
    assert pages.text_of(copied["cells"][0]) == labelled(BOX)
    assert pages.text_of(read["cells"][0]) == BOX       # what was read is left as it was


def test_the_colours_are_those_of_the_reader_in_both_themes():
    sheet, reader = showing.PAGE.read_text("utf-8"), READER.read_text("utf-8")
    for name, theirs in (("ask", "ask"), ("rule", "rule"), ("trap", "trap"), ("turn", "turn"), ("old", "old"),
                         ("plate", "plate"), ("ink", "ink"), ("caption", "key")):
        ours = re.findall(rf"--mg-{name}: (#\w+)", sheet)[:2]
        assert ours == re.findall(rf"--{theirs}: (#\w+)", reader)[:2], name


def test_every_class_is_styled_and_ink_can_be_read_on_its_plate():
    sheet = showing.PAGE.read_text("utf-8")
    assert all(f"b.{name})" in sheet for name in CLASSES.values())
    for theme in (0, 1):
        colours = {name: re.findall(rf"--mg-{name}: (#\w{{6}})", sheet)[theme]
                   for name in ("ink", "plate", "chosen", "ask", "rule", "trap", "turn", "caption", "old")}
        for name in ("ink", "ask", "rule", "trap", "turn", "caption", "old"):
            assert contrast(colours[name], colours["plate"]) >= 4.5, (theme, name)
        assert contrast(colours["ink"], colours["chosen"]) >= 4.5


def test_the_sheet_is_in_the_package():
    assert Path(showing.PAGE).parent == Path(showing.__file__).parent and showing.PAGE.is_file()
