"""The explorers: what they compute is what the engine says, in every state."""
import re
from importlib.util import find_spec
from itertools import product as every
from xml.etree import ElementTree

import pytest

import minigrad
from minigrad.book.classroom.lab import Lab
from minigrad.book.classroom.labs.edits import ENDS, OPERATIONS, WAYS, edit_explorer, explored
from minigrad.book.classroom.labs.jacobian import by_rows, draw_rows, jacobian_explorer, product
from minigrad.book.classroom.labs.jacobian_rows import number as rows_number

MODULES = ["minigrad", *(["torch"] if find_spec("torch") else [])]


@pytest.fixture(params=MODULES)
def torch(request):
    return pytest.importorskip(request.param)


def three(torch):
    return lambda x: torch.stack([x[0] ** 2, x[0] * x[1], x[1] ** 3])


def test_rows_and_product_of_a_jacobian(torch):
    x = torch.tensor([2., 3.])
    assert by_rows(three(torch), x) == ([[4, 0], [3, 2], [0, 27]], [4, 6, 27])
    assert product(three(torch), x, [1, 10, 100]) == [34, 2720]
    assert x.grad is None and not x.requires_grad


def test_the_product_is_the_weighted_sum_of_the_rows(torch):
    x = torch.tensor([2., 3.])
    rows, _ = by_rows(three(torch), x)
    for v in every((-10, 0, 0.5, 100), repeat=3):
        want = [sum(one * row[column] for one, row in zip(v, rows, strict=True)) for column in (0, 1)]
        assert product(three(torch), x, v) == pytest.approx(want)


def test_jacobian_lab_in_words(torch):
    lab = jacobian_explorer(three(torch), torch.tensor([2., 3.]), rows=["x0²", "x0 x1", "x1³"])
    picture, words = lab.show(lab.actions["dye"](lab.start))
    assert words.splitlines()[-1] == "x.grad after y.backward(v): [34.0, 2720.0]"
    assert "2720.0" in picture and "<img src=" in picture
    picture, words = lab.show(lab.actions["mean"](lab.start))
    assert words.endswith("[2.333, 9.667]")
    assert lab.show(lab.start)[1].count("left out") == 2
    assert "[34.0, 2720.0]" in repr(lab)


def test_rows_are_drawn_with_their_weights_and_the_real_gradient(torch):
    x = torch.tensor([3., 2.], requires_grad=True)
    picture = draw_rows(lambda knobs: three(torch)(knobs), x, torch.tensor([1., 10., 100.]))
    assert repr(picture).splitlines()[-1] == "knobs.grad after y.backward(v): [26.0, 1230.0]"
    assert x.grad is None
    shown = re.findall(r"<text [^>]*>(.*?)</text>", picture.svg)
    assert shown[-2:] == ["26", "1230"] and "100 × 12 = 1200" in shown and "knobs[1]" in shown
    ElementTree.fromstring(picture.svg)
    with pytest.raises(ValueError, match="one coefficient for each output: 3, and it has 2"):
        draw_rows(three(torch), x, [1., 2.])


def test_many_rows_and_a_scalar_input_are_drawn_too(torch):
    points = torch.tensor([1., 2., 3., 4.])
    picture = draw_rows(lambda w: w * points, torch.tensor(5.), torch.ones(4))
    assert repr(picture).splitlines()[-1] == "w.grad after y.backward(v): [10.0]"
    assert "1 × 4 = 4" in re.findall(r"<text [^>]*>(.*?)</text>", picture.svg)
    ElementTree.fromstring(picture.svg)
    with pytest.raises(ValueError, match=r"1 to 12; these shapes are \(\) and \(20,\)"):
        draw_rows(lambda w: w * torch.ones(20), torch.tensor(5.), torch.ones(20))


@pytest.mark.parametrize("bad", [lambda x: x * 1, lambda x: x.sum(), lambda x: x[:0]])
def test_a_function_that_does_not_fit_is_one_clear_line(bad):
    with pytest.raises(ValueError, match="to a vector of 1 to 3 elements; these shapes are"):
        jacobian_explorer(bad, minigrad.ones(4))


def outcome(torch, operation, end, way):
    words = explored(torch, {"operation": operation, "end": end, "way": way})[1]
    last = words.split("\n\n")[1]
    kinds = {"ERROR": "error", "SILENTLY WRONG": "wrong", "FINE": "fine"}
    return next(kind for start, kind in kinds.items() if last.startswith(start))


def saves(operation):
    """What the operation saves: which ends of it (in, out) a write would be noticed at."""
    return {"t * t": "in", "t ** 2": "in", "t.sin()": "in", "t.exp()": "out", "t.sqrt()": "out",
            "t.sigmoid()": "out", "t.max()": "in out"}.get(operation, "").split()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_edit_is_noticed_exactly_when_it_touches_what_was_saved(torch, operation):
    for (end, name), way in every(ENDS.items(), WAYS):
        touched = ("in" if name == "t" else "out") in saves(operation)
        found = outcome(torch, operation, end, way)
        if way != "through .data":
            assert found == ("error" if touched else "fine"), (end, way)
        else:
            assert found in (("wrong", "fine") if touched else ("fine",)), (end, way)


def test_data_is_silently_wrong_where_it_matters(torch):
    assert outcome(torch, "t * t", "the input, t", "through .data") == "wrong"
    assert outcome(torch, "t.exp()", "the output, y", "through .data") == "wrong"
    assert outcome(torch, "t * 3", "the input, t", "through .data") == "fine"


def test_both_engines_say_the_same():
    torch = pytest.importorskip("torch")
    for operation, end, way in every(OPERATIONS, ENDS, WAYS):
        state = {"operation": operation, "end": end, "way": way}
        ours, theirs = explored(minigrad, state), explored(torch, state)
        assert ours[1] == theirs[1]
        assert ours[0].text == theirs[0].text


def test_labs_have_few_labelled_controls_and_states_to_print():
    for lab in (edit_explorer(), jacobian_explorer(three(minigrad), minigrad.tensor([2., 3.]))):
        assert isinstance(lab, Lab) and len(lab.controls) <= 4 and len(lab.fallback) >= 3
        assert all(control.label for control in lab.controls.values())
        assert lab._repr_mimebundle_()["text/plain"] == repr(lab)


def test_controls_follow_and_buttons_set_them():
    pytest.importorskip("ipywidgets")
    told = []
    lab = jacobian_explorer(three(minigrad), minigrad.tensor([2., 3.]))
    *sliders, buttons, heard = lab.widget(lambda text, html: told.append(html)).children
    sliders[1].value = 10
    assert "[34.0, 20.0]" in told[-1] and "[34.0, 20.0]" in heard.value
    next(button for button in buttons.children if button.description == "dye").click()
    assert [slider.value for slider in sliders] == [1, 10, 100]
    assert "[34.0, 2720.0]" in told[-1] and len(told) == 2


def test_numbers_fit_into_their_fields():
    written = [rows_number(value) for value in (1 / 3, 2700.0, -10.0, -0.0001, 0.5)]
    assert written == ["0.333", "2700", "-10", "0", "0.5"]
