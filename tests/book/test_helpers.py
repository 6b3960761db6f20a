"""The helpers that chapters call."""
import sys
import warnings
from types import SimpleNamespace

import pytest

import minigrad as torch
from minigrad.book import draw, expect_error, expect_warning
from minigrad.book.classroom import opening
from minigrad.book.classroom.opening import chapter, closed
from minigrad.book.content.chapters import CHAPTERS
from minigrad.viz import draw as drawn_by_viz


def test_expect_error_names_the_error_that_was_raised_not_the_kind_that_was_allowed(capsys):
    with expect_error(LookupError):
        raise IndexError("too far")
    assert capsys.readouterr().out == "IndexError: too far\n"


def test_expect_error_fails_when_nothing_is_raised(capsys):
    with pytest.raises(AssertionError, match=r"^expected RuntimeError, but nothing was raised$"):
        with expect_error(RuntimeError):
            pass
    assert capsys.readouterr().out == ""


def test_expect_error_fails_when_something_else_is_raised():
    with pytest.raises(AssertionError, match=r"^expected RuntimeError, not TypeError: wrong$") as caught:
        with expect_error(RuntimeError):
            raise TypeError("wrong")
    assert isinstance(caught.value.__cause__, TypeError)


def test_expect_error_lets_an_interrupt_through():
    with pytest.raises(KeyboardInterrupt):
        with expect_error(RuntimeError):
            raise KeyboardInterrupt


def test_expect_warning_prints_the_warning_and_keeps_it_from_the_screen(capsys, recwarn):
    for _ in range(2):
        with expect_warning(UserWarning):
            warnings.warn("this is old", UserWarning, stacklevel=2)
    assert capsys.readouterr().out == "UserWarning: this is old\n" * 2 and not recwarn.list


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_expect_warning_gets_a_warning_that_is_given_once_per_process_from_each_run(library, capsys):
    torch = pytest.importorskip(library)
    for _ in range(2):
        x = torch.tensor(2., requires_grad=True)
        with expect_warning(UserWarning):
            (x ** 3).backward(create_graph=True)
        x.grad = None
    said = capsys.readouterr().out
    assert said.count("will create a reference cycle") == 2
    assert library == "minigrad" or not torch.is_warn_always_enabled()


def test_expect_warning_fails_when_none_is_given():
    with pytest.raises(AssertionError, match=r"^expected UserWarning, but none was given$"):
        with expect_warning(UserWarning):
            warnings.warn("another kind", DeprecationWarning, stacklevel=2)


def test_expect_warning_lets_an_error_through(capsys):
    with pytest.raises(ValueError, match="no such thing"):
        with expect_warning(UserWarning):
            raise ValueError("no such thing")


def test_chapter_prints_its_header(capsys):
    title, minutes = CHAPTERS[6]
    chapter(6)
    assert capsys.readouterr().out == f"Chapter 6 · {title} · about {minutes} minutes\n"


def test_a_solution_doesn_t_run_over_the_learner_s_answer():
    assert closed(["answer_6a = 3\n"]) == ["answer_6a = 3\n"] and closed([]) == []
    (line,) = closed(["### BEGIN SOLUTION\n", "answer_6a = 3\n", "### END SOLUTION\n"])
    assert line.startswith("print(") and "your answer stands" in line and "answer_6a" not in line


def test_solutions_are_closed_once_and_for_people_only(monkeypatch):
    shell = SimpleNamespace(input_transformers_cleanup=[])
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    for there in (False, True, True):
        monkeypatch.setattr(opening, "somebody_is_there", lambda there=there: there)
        opening.keep_solutions_closed()
        assert shell.input_transformers_cleanup == [closed] * there


@pytest.mark.parametrize(("number", "show", "tabs"), [
    (3, "", 0), (3, "saved", 1), (5, "-grads", 0), (6, "", 1), (6, "-saved", 0), (None, "", 1)])
def test_draw_leaves_out_what_was_saved_until_chapter_6(monkeypatch, number, show, tabs):
    monkeypatch.setattr(chapter, "number", number)
    x = torch.tensor(3., requires_grad=True)
    y = x * x
    assert sum(len(box.saved) for box in draw(y, show=show).picture.boxes) == tabs
    assert str(draw(y, view="maths")) == str(drawn_by_viz(y, view="maths"))


def test_an_error_shown_on_purpose_breaks_between_words(monkeypatch, capsys):
    from minigrad.book.classroom import expected_errors
    shown = []
    monkeypatch.setattr(expected_errors, "somebody_is_there", lambda: True)
    monkeypatch.setattr("IPython.display.display", shown.append)
    with expected_errors.expect_error(ValueError):
        raise ValueError("expected <4> values")
    assert capsys.readouterr().out == ""
    assert shown[0].text == "ValueError: expected <4> values"
    assert "expected &lt;4&gt; values</pre>" in shown[0].html and "word-break:normal" in shown[0].html
