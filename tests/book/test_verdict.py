"""A verdict as text and as HTML: wrapped at words, readable without colour and on light and dark pages."""
import re
from types import SimpleNamespace

import pytest

from minigrad.book.classroom import verdict
from minigrad.book.classroom.verdict import (
    COLOUR,
    MARK,
    NOT_ANSWERED,
    NOT_YET,
    NOTE,
    RIGHT,
    as_html,
    as_text,
    show,
)
from tests.helpers.contrast import contrast

LONG = "The slope is not `10.625`: that is the value of `f`. How far does `f` move when `x` moves a little? "


def test_short_verdicts_are_one_line(capsys):
    show(RIGHT, "6b")
    show(NOT_ANSWERED, "6b")
    show(NOT_YET, "6b", "Why?")
    show(NOTE, "6b", "Try `h`.", word="hint 1 of 2")
    show(NOTE, "6b", "Try it first.")
    show(NOTE, "", "There is none.")
    assert capsys.readouterr().out == "✓ 6b: right\n□ 6b: not answered yet\n✗ 6b: not yet. Why?\n" \
                                      "6b: hint 1 of 2. Try h.\n6b: Try it first.\nThere is none.\n"


def test_long_ones_are_broken_between_words_and_outside_of_short_code():
    text = as_text(NOT_YET, "1a", LONG * 2, "The second paragraph. " * 6)
    lines = text.split("\n")
    assert max(map(len, lines)) <= 80 and all(line.startswith("  ") for line in lines[1:])
    assert text.replace("\n ", "").split() == ("✗ 1a: not yet. " + (LONG * 2).replace("`", "")
                                               + "The second paragraph. " * 6).split()
    for before in range(60, 81):
        assert "`a + b`".strip("`") in as_text(NOTE, "x", "." * before + " `a + b`")


def test_html_has_a_word_a_mark_and_escapes_what_a_learner_wrote():
    html = as_html(NOT_YET, "1a", "`a < b` is **not** it", "<script>")
    assert "✗ not yet</b>" in html and "<code>a &lt; b</code>" in html and "<b>not</b>" in html
    assert "&lt;script&gt;" in html and "<script>" not in html


@pytest.mark.parametrize("kind", MARK)
def test_white_words_are_readable_on_every_colour(kind):
    html = as_html(kind, "1a", "text")
    assert contrast("#ffffff", COLOUR[kind]) >= 4.5
    painted = re.findall(r'(?<![-\w])color:(#\w+)', html)  # the text itself has the colour of the page
    assert painted == ["#ffffff"]


def test_a_live_notebook_gets_html_with_its_text(monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(verdict, "somebody_is_there", lambda: True)
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", SimpleNamespace(display=shown.append))
    show(RIGHT, "6b", "So it is.")
    bundle = shown[0]._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"} and bundle["text/plain"] == "✓ 6b: right. So it is."
    assert capsys.readouterr().out == ""
