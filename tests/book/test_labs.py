"""The labs of the chapters: what they show, and that they notice when a task is solved."""
import base64
import re
from itertools import product

import pytest

from minigrad.book import play
from minigrad.book.classroom import lab as lab_module
from minigrad.book.classroom.lab import Choice, Slider
from minigrad.book.classroom.labs import LABS, nudge
from minigrad.viz.drawing.image import height, svgs_in

SOLVED = {  # lab: settings that solve a task of its chapter, beside its first state
    "nudge": [{"h": -5}, {"h": -8}, {"function": "sin(3*x)", "x": 0.25, "h": -8},
              {"function": "sin(3*x)", "x": 0.25, "h": -6}, {"x": 0}, {"function": "sin(3*x)", "x": 1}],
    "drawers": [{"calls": 3, "engine": "sticky: the middle passes on its sum"}],
    "expression": [{"text": "(a * b + a) * a"}],
    "two losses": [{"first": "q.backward()", "keep": True, "then": "(p + q).backward()"}],
    "ways": [{"way": "eval()"}, {"way": "set_grad_enabled(False)"}, {"way": ".data"}],
    "coefficients on rows": [{"v0": 2.0, "v1": -6.0, "v2": 1.5}, {"v0": -2.0, "v1": 6.0, "v2": -1.5}],
    "forward nudge": [{"h": 1}, {"leaf": "b", "h": 1}, {"h": -0.8}],
    "edits": [{"way": "through .data"}, {"operation": "t * 3", "way": "through .data"}],
}
UNSOLVED = {  # lab: settings that come near
    "nudge": [{"h": -13}, {"function": "exp(x)", "x": -2}, {"function": "sin(3*x)", "x": 0.5}],
    "drawers": [{"calls": 3}, {"calls": 4},
                {"calls": 2, "engine": "sticky: the middle passes on its sum"}],
    "expression": [{"text": "a * b"}, {"text": "a +"}],
    "two losses": [{"then": "p.backward()"}, {"keep": True, "then": "q.backward()"},
                   {"first": "(p + q).backward()", "keep": True, "then": "q.backward()"}],
    "ways": [{"way": "detach"}, {"way": "the whole table"}],
    "coefficients on rows": [{"v0": 0.0}, {"v0": 0.0, "v1": 1.0}, {"v0": 2.0, "v1": -6.0}],
    "forward nudge": [{"h": 0.2}, {"h": -0.1}],
    "edits": [{"way": "in place"}],
}


@pytest.fixture
def without_curves(monkeypatch):
    """The lab of nudges without matplotlib, where its words alone are asked for."""
    monkeypatch.setattr(nudge, "image", lambda *_: "")


@pytest.mark.usefixtures("without_curves")
@pytest.mark.parametrize("name", LABS)
def test_a_lab_says_when_its_task_is_solved_and_not_before(name):
    lab = play(name)
    assert not lab.solved(lab.start, lab.show(lab.start)[1])
    for states, solved in ((SOLVED[name], True), (UNSOLVED[name], False)):
        for settings in states:
            text, html = lab.shown({**lab.start, **settings})
            last = text.splitlines()[-1]
            assert (last.startswith("✓ ") and last.endswith(".")) == solved == ("✓ done" in html), settings
    assert "✓" not in repr(lab)  # the strip on paper gives no task away


@pytest.mark.usefixtures("without_curves")
@pytest.mark.parametrize("name", LABS)
def test_no_state_needs_more_room_than_a_lab_keeps(name):
    """Otherwise the controls below would move away under the mouse."""
    lab = play(name)
    values = {key: control.options for key, control in lab.controls.items() if isinstance(control, Choice)}
    states = [dict(zip(values, some)) for some in product(*values.values())]
    for state in states[::max(len(states) // 24, 1)]:
        picture, words = lab.show({**lab.start, **state})
        page = picture if isinstance(picture, str) else picture._repr_html_()
        assert max(map(height, svgs_in(page)), default=0) <= lab.room, state
        assert words.count("\n") < lab.most_lines, state


def test_a_lab_whose_pictures_have_one_size_draws_one_to_open(monkeypatch):
    drawn = []
    monkeypatch.setattr(nudge, "image", lambda *_: drawn.append(1) or "")
    lab = nudge.open_lab()
    lab.shown(lab.start)
    assert len(drawn) == 1


@pytest.mark.usefixtures("without_curves")
@pytest.mark.parametrize("name", LABS)
def test_the_strip_shows_no_answer(name):
    lab = play(name)
    assert not any(lab.solved(state, lab.show(state)[1]) for state in lab.fallback)


def test_only_the_first_label_above_a_picture_begins_with_a_capital():
    assert "1. Calls: 0, between two calls: nothing, engine: torch" in repr(play("drawers"))


def test_every_nudge_of_the_slider_can_be_judged():
    lab = play("nudge")
    for function in lab.controls["function"].options:
        best = [h for h in range(-14, 1) if lab.solved({"function": function, "x": -2, "h": h}, "")]
        assert 2 <= len(best) <= 4 and all(-11 < h < -3 for h in best)


def test_the_sticky_engine_shows_what_the_middle_keeps():
    lab = play("drawers")
    sticky = lab.controls["engine"].options[1]
    picture, words = lab.show({**lab.start, "calls": 3, "engine": sticky})
    assert "tensor middle, shape (), value 5.5, .grad is 3.0" in picture.text
    assert "middle.grad = 3" in words
    picture, words = lab.show({**lab.start, "calls": 3})
    assert "middle" not in words and picture.text.count(".grad is") == 1


def test_a_verdict_stands_out_and_is_a_word():
    lab = play("edits")
    for settings, word, colour in (({"way": "through .data"}, "SILENTLY WRONG", lab_module.BAD),
                                   ({"operation": "t * 3"}, "FINE", lab_module.GOOD),
                                   ({}, "ERROR", lab_module.LOUD)):
        text, html = lab.shown({**lab.start, **settings})
        assert f"\n{word}" in text and lab_module.badge(word, colour) in html
        assert "Just before backward()" in lab.show({**lab.start, **settings})[0].text


def test_no_picture_of_the_edit_lab_is_wider_than_a_notebook():
    lab = play("edits")
    for operation in lab.controls["operation"].options:
        for end in lab.controls["end"].options:
            picture, _ = lab.show({**lab.start, "operation": operation, "end": end})
            points = float(re.search(r'width="([\d.]+)pt"', picture.svg)[1])
            assert points <= 715     # it is shown with a pixel for a point


def test_the_picture_of_the_nudge_lab_is_as_wide_as_a_notebook():
    pytest.importorskip("matplotlib")
    lab = play("nudge")
    picture, _ = lab.show(lab.start)
    png = base64.b64decode(re.search(r'src="data:image/png;base64,([^"]+)"', picture)[1])
    assert int.from_bytes(png[16:20], "big") <= 715 and "max-width:100%" in picture


@pytest.mark.parametrize("name", LABS)
def test_the_picture_is_an_output_of_its_own_that_follows_the_controls(name, monkeypatch):
    pytest.importorskip("ipywidgets")
    shown = []
    monkeypatch.setattr(lab_module, "somebody_is_there", lambda: True)
    monkeypatch.setattr(lab_module.Shown, "_ipython_display_", lambda output: shown.append(output))
    lab = play(name)
    lab._ipython_display_()
    [output] = shown
    before = output.html
    assert ("<img" in before or "<table" in before) and lab.title in before
    key, control = next(iter(lab.controls.items()))
    assert all(widget.description for widget in output.controls.children[:len(lab.controls)])
    first = output.controls.children[0]
    if isinstance(control, Choice):
        first.value = next(option for option in control.options if option != lab.start[key])
    else:
        first.value = control.low if isinstance(control, Slider) and lab.start[key] != control.low else (
            control.high if isinstance(control, Slider) else "a * a")
    assert output.html != before and control.label in output.text
    assert 'role="status"' in output.controls.children[-1].value
