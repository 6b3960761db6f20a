"""Buttons that carry the words of the options: one click stores, and the comparison appears by itself."""
import html
import json

import pytest

from minigrad.book import chapter, judge, predict, reveal
from minigrad.book.classroom import notes, questions, showing
from minigrad.book.classroom.notes import VERDICTS
from minigrad.book.classroom.option_buttons import Choice
from minigrad.book.classroom.questions import CONFIDENCE, Option, Question
from minigrad.book.content.chapters import of
from tests.helpers.own_progress import file_and_note

pytest.importorskip("ipywidgets")
FIRST = of(6).QUESTIONS[0]


@pytest.fixture(autouse=True)
def progress(tmp_path, monkeypatch):
    """A file of its own for each test, a notebook that shows nothing yet, and one note in chapter 6."""
    monkeypatch.setattr(questions, "COMPARISONS", {})
    monkeypatch.setattr(questions, "BUTTONS", {})
    yield from file_and_note(tmp_path, monkeypatch)


def read(path, part="predictions"):
    return json.loads(path.read_text(encoding="utf-8"))[part]


@pytest.fixture
def page(monkeypatch):
    """A running notebook: all that is displayed, by its display_id, with what has changed since."""
    publisher = pytest.importorskip("IPython.core.displaypub").DisplayPublisher
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    for module in (questions, notes, showing, questions.verdict):
        monkeypatch.setattr(module, "somebody_is_there", lambda: True)
    monkeypatch.setattr("minigrad.book.classroom.opening.somebody_is_there", lambda: True)
    outputs = {}

    class Publisher(publisher):
        def publish(self, data, metadata=None, *, transient=None, update=False, **_):
            name = (transient or {}).get("display_id", f"without a name, {len(outputs)}")
            assert not update or name in outputs
            outputs[name] = data

    monkeypatch.setattr(shell, "display_pub", Publisher())
    return outputs


def shown(outputs):
    return [data.get("text/html", "") for data in outputs.values()]


def run(shell_output):
    """What a notebook does with the last line of a cell."""
    shell_output._ipython_display_()
    return shell_output


def buttons(key="6.1"):
    return questions.BUTTONS[key]


def test_the_options_are_the_buttons_and_one_click_stores(page, progress):
    shown_ = run(predict("6.1"))
    choice = buttons().choice
    assert not any(choice.tooltips or ())       # nothing in a button says which one is right
    assert [words for words, _ in choice.options] == [
        f"{letter}\u2002{option.text.replace('`', '')}" for letter, option in zip("ABCD", FIRST.options)]
    assert choice.value is None and not progress.exists()
    assert "One click stores your answer" in buttons().said.value
    choice.value = "B"
    assert read(progress) == {"6.1": {"choice": "B"}}
    assert "Stored: B. You can change it until you compare." in buttons().said.value
    assert "Stored: B. You can change it" in shown_.html
    choice.value = "C"
    assert read(progress) == {"6.1": {"choice": "C"}}


def test_how_sure_one_is_can_be_added_until_the_answer_is_seen(page, progress):
    run(predict("6.1"))
    one = buttons()
    assert one.sure.layout.display == "none" and list(one.sure.options) == list(CONFIDENCE)
    assert one.sure.description == "How sure are you? (if you like)"
    one.choice.value = "B"
    assert one.sure.layout.display == ""
    one.sure.value = "certain"
    assert read(progress) == {"6.1": {"choice": "B", "confidence": "certain"}}
    assert "Stored: B, certain." in one.said.value
    one.choice.value = "A"      # of which nobody said how sure they are
    assert read(progress) == {"6.1": {"choice": "A"}} and one.sure.value is None
    reveal("6.1")
    assert one.sure.layout.display == "none"
    one.sure.value = "certain"  # from a second view of the page, which was late
    assert read(progress) == {"6.1": {"choice": "A", "revealed": True}}


def test_a_comparison_that_ran_first_waits_and_fills_itself_in(page, progress):
    """Run All, and then the questions."""
    run(predict("6.1"))
    reveal("6.1")
    waits = shown(page)[-1]
    assert "no prediction yet" in waits and "the comparison appears here" in waits
    assert not any(html.escape(option.says, quote=False) in "".join(shown(page)) for option in FIRST.options)
    assert not progress.exists()
    buttons().choice.value = "A"
    assert "✗ wrong" in shown(page)[-1] and "You said <b>A</b>. " in shown(page)[-1]
    assert read(progress) == {"6.1": {"choice": "A", "revealed": True}}
    assert "The comparison is below, at <code>reveal(\"6.1\")</code>" in buttons().said.value
    buttons().choice.value = "B"
    assert "✓ right" in shown(page)[-1] and "your first answer was A" in shown(page)[-1]
    assert "✓ right" in buttons().said.value
    assert read(progress) == {"6.1": {"choice": "A", "revealed": True, "again": {"choice": "B"}}}


def test_a_call_in_another_cell_fills_it_in_as_well(page, progress):
    run(predict("6.1"))
    reveal("6.1")
    predict("6.1", "B", "certain")
    assert any("✓ right" in one for one in shown(page))
    assert read(progress) == {"6.1": {"choice": "B", "confidence": "certain", "revealed": True}}
    assert "Stored: B, certain." in buttons().said.value


def test_who_chose_first_is_compared_at_once(page):
    run(predict("6.1"))
    buttons().choice.value = "B"
    reveal("6.1")
    assert "✓ right" in shown(page)[-1]
    reveal("6.1")       # once more
    assert "✓ right" in shown(page)[-1]


def test_after_a_restart_the_buttons_stand_as_they_were_left(page, progress):
    predict("6.1", "B", "certain")
    run(predict("6.1"))
    assert (buttons().choice.value, buttons().sure.value) == ("B", "certain")
    assert buttons().sure.layout.display == ""
    reveal("6.1")
    questions.COMPARISONS.clear()
    run(predict("6.1"))
    assert buttons().choice.value is None and "you can answer again" in buttons().said.value
    buttons().choice.value = "C"
    assert read(progress)["6.1"]["again"] == {"choice": "C"} and "✗ wrong" in buttons().said.value


def test_the_question_can_be_read_where_there_are_no_buttons(page):
    """The output above the buttons has the options too; they are hidden as long as there are buttons."""
    run(predict("6.1"))
    question, below = shown(page)
    assert all(questions.marked_up(option.text) in question for option in FIRST.options)
    head, options = question.split('<div class="mgoptions">')
    assert FIRST.options[0].text not in head and "Choose before you run" in options
    assert ":has(+ .jp-OutputArea-child .mgcontrols.mgchoosing" in showing.STYLE
    assert "application/vnd.jupyter.widget-view+json" in list(page.values())[1]
    assert showing.DEAD in below
    assert repr(predict("6.1")).endswith('Answer in a cell of your own: predict("6.1", "A")')


def test_a_verdict_on_a_note_is_one_click_too(page, progress):
    asked = judge("6.n1")
    one = asked.controls.children[1]
    assert [words for words, _ in one.options] == list(VERDICTS) and one.value is None
    assert list(one.tooltips) == [meaning for meaning, _ in VERDICTS.values()]
    assert "doublings" not in asked.html + asked.text and all(name in asked.html for name in VERDICTS)
    one.value = "wrong"
    assert read(progress, "notes") == {"6.n1": {"choice": "wrong"}}
    assert "the note was lucky" in asked.html and "the note was lucky" in asked.controls.children[3].value
    one.value = "lucky"
    assert read(progress, "notes") == {"6.n1": {"choice": "wrong", "again": "lucky"}}
    assert judge("6.n1").controls.children[1].value == "lucky"      # after a restart


HOSTILE = '</button><img src=x onerror=alert(1)><script>alert(2)</script>"\'&lt;b&gt; `</code>` **x**'


def test_hostile_words_stay_words(page, monkeypatch):
    """A button's words are text for ipywidgets, whatever they are; the HTML above them is escaped."""
    asked = Question("6.9", HOSTILE, (Option(HOSTILE, None, HOSTILE), Option(HOSTILE + "2", "M60", HOSTILE)))
    monkeypatch.setattr("minigrad.book.content.chapters.ch06.QUESTIONS", (asked,))
    run(predict("6.9"))
    reveal("6.9")
    buttons("6.9").choice.value = "A"
    buttons("6.9").sure.value = "certain"
    buttons("6.9").choice.value = "B"
    texts = [*shown(page), buttons("6.9").said.value]
    assert sum("onerror" in text for text in texts) >= 3
    assert not any("<img" in text or "<script" in text or "</button" in text for text in texts)
    assert buttons("6.9").choice.options[0][0] == f"A\u2002{questions.plain(HOSTILE)}"


def test_the_rows_are_hidden_and_read_out_without_a_notebook():
    kept = []
    one = Choice({"x": "an x", "y": "a y"}, None, kept.append, lambda: "<p>said</p>", in_a_row=True)
    one.choice.value = "y"
    assert kept == ["y"] and one.sure.layout.display == "none"
    assert 'role="status"' in one.said.value and "<p>said</p>" in one.said.value


def test_a_chapter_shows_its_style_sheet_in_a_notebook(page, capsys):
    chapter(6)
    assert [text for text in shown(page) if "mg-page" in text and "--mg-rule" in text]
    assert "</style" not in showing.PAGE.read_text(encoding="utf-8")


def test_a_click_ends_at_the_controls(page):
    """JupyterLab makes the cell of a click the active one; tests/browser clicks in a real one."""
    from minigrad.book.classroom.option_buttons import STAY
    assert run(predict("6.1")).controls.children[0].value.endswith(STAY)
    for event in "mousedown", "focusin":
        assert event in STAY


class Page:
    """What `check` shows under a wrong answer: its buttons, and what they say."""

    def __init__(self, monkeypatch):
        from minigrad.book.classroom import exercises, helping
        monkeypatch.setattr(exercises, "somebody_is_there", lambda: True)
        kept = []
        made = helping.with_buttons
        monkeypatch.setattr(exercises, "with_buttons", lambda *given: kept.append(made(*given)) or kept[-1])
        self.kept = kept

    @property
    def parts(self):
        _, row, said = self.kept[-1].controls.children
        return *row.children, said


def test_a_wrong_answer_has_a_button_for_a_hint_and_one_for_the_solution(page, progress, monkeypatch):
    from minigrad.book import check
    from minigrad.book.content.chapters import exercise
    below = Page(monkeypatch)
    check("0a", "many")
    hint, solution, said = below.parts
    assert (hint.description, solution.description, solution.disabled) == ("Hint", "Solution", True)
    for number, words in enumerate(exercise("0a").hints, 1):
        hint.click()
        assert f"hint {number} of 2" in said.value
        assert html.escape(words.split("`")[0], quote=False) in said.value
    assert read(progress, "attempts")["0a"]["hints"] == 2
    assert not solution.disabled
    solution.click()
    assert "answer_0a = " in said.value and 'role="status"' in said.value
    check("0a", "many")
    assert not below.parts[1].disabled      # a second attempt


def test_an_assignment_keeps_its_solution(page, progress, monkeypatch):
    from minigrad.book import check
    from minigrad.book.classroom import helping
    monkeypatch.setenv(helping.NO_SOLUTIONS, "off")
    below = Page(monkeypatch)
    for _ in range(3):
        check("0a", [9, 9, 9])
    assert below.parts[1].disabled


def test_a_right_answer_and_none_have_no_buttons(page, progress, monkeypatch):
    from minigrad.book import check
    from minigrad.book.content.chapters import exercise
    below = Page(monkeypatch)
    check("0a")
    check("0a", exercise("0a").expected(exercise("0a").standard))
    assert below.kept == []
