"""The page of measurements: each runs alone on PyTorch and on minigrad, and gives the same numbers."""
from __future__ import annotations

from importlib.util import find_spec

import pytest

from minigrad.book.build.page_of_measurements import (
    ENTRIES,
    SETUP,
    measurements_on_paper,
    page_of_measurements,
)
from minigrad.book.build.pdf import Form
from minigrad.book.classroom import measurements
from minigrad.book.classroom.measurements import MEASUREMENTS, code_of

LIBRARIES = ["minigrad", *(["torch"] if find_spec("torch") else [])]
LINES, LETTERS = 7, 95

PROGRAM = """
torch.manual_seed(3)
x = torch.linspace(-1, 1, 9).view(9, 1)
y = 3 * x[:, 0] + 0.5
model = torch.nn.Sequential(torch.nn.Linear(1, 8, bias=False), torch.nn.BatchNorm1d(8), torch.nn.Tanh(),
                            torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model[-1].parameters(), lr=0.1)

def loss_of(x, y):
    return ((model(x)[:, 0] - y) ** 2).mean()

told = [shapes(model(x), y, model(x) - y, 3, model)]
model.eval()
loss_of(x, y).backward()
told += [nudge(lambda: loss_of(x, y), model[-1].weight), drawers(model)]
old = {name: p.detach().clone() for name, p in model.named_parameters()}
optimizer.step()
told.append(moved(model, optimizer, old))
means = model[1].running_mean.clone()
told.append(again(model, lambda: loss_of(x, y)))
told += [means.tolist() == model[1].running_mean.tolist(), again(model, lambda: 0.25)]
told.append(versions(x, x[:3], model[-1].weight))
model.train()
told.append(reaches(loss_of, x, y))
model.eval()
told += [reaches(loss_of, x, y), reaches(lambda x, y: model[-1].bias[0], x, y)]
told += [picture(x, y), picture(torch.rand(9, 64), y.long())]
told += [distinct(*model[0].weight), distinct(x, x.clone(), y, 2 * x)]
told.append(overfit(loss_of, torch.optim.Adam(model.parameters(), lr=0.05), x, y))
"""


def told(library):
    """Return what the measurements, copied from the page as text, tell about a program."""
    names = {}
    exec(f"import {library} as torch\n" + "".join(map(code_of, MEASUREMENTS)) + PROGRAM, names)
    return names["told"]


@pytest.mark.parametrize("function", MEASUREMENTS, ids=lambda function: function.__name__)
def test_a_measurement_is_short_plain_and_needs_no_import(function):
    lines = code_of(function).splitlines()
    assert lines[0].startswith(f"def {function.__name__}(")
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= LETTERS
    assert not any(word in code_of(function) for word in ("import", '"""', "torch", "minigrad"))
    assert function.__doc__


def test_they_tell_what_they_promise():
    (sizes, slope, full, far, twice, restored, same, written, mixed, apart, cut, column, image,
     units, tensors, small) = told("minigrad")
    assert sizes == [((9, 1), "float32", True), ((9,), "float32", False), ((9, 9), "float32", True)]
    assert full["0.weight"] > 0.01
    assert slope != 0
    assert far["0.weight"] == (0., None) and far["4.weight"][0] > 0 and far["4.weight"][1] == 0.1
    assert twice["eval"][0] == twice["eval"][1] and twice["train"][0] != twice["train"][1]
    assert restored
    assert same == {"eval": [0.25, 0.25], "train": [0.25, 0.25], "eval again": 0.25}
    assert units == (8, 8) and tensors == (3, 4)
    assert written == [(0, 2), (0, 2), (2, 1)]
    assert min(mixed) > 0 and apart[0] > 0 and apart[1:] == [0., 0., 0.] and cut == [0.] * 4
    assert column == ([[-1., 1., 0., 9]], 0.45)
    assert len(image[0]) == 1
    assert small < 0.01


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_library_tells_the_same(library):
    assert told(library) == told("minigrad")


def test_the_book_has_them_under_their_names():
    import minigrad.book
    for function in MEASUREMENTS:
        if function is not measurements.picture:
            assert getattr(minigrad.book, function.__name__).__wrapped__ is function
    x = minigrad.linspace(-1, 1, 9).view(9, 1)
    assert minigrad.book.picture(x, x[:, 0]) == measurements.picture(x, x[:, 0])


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_false_alarm_looks_like_a_bug(library, name):
    names = {}
    code = "".join(map(code_of, MEASUREMENTS)) + SETUP + ENTRIES[name].program
    exec(f"import {library} as torch\n" + code, names)
    assert names["alarm"]


def test_the_printed_page_is_one_sheet(tmp_path):
    pytest.importorskip("typst")
    pytest.importorskip("pypandoc")
    for form, most in ((Form(), 2), (Form(letter=True), 2), (Form(large=True), 99)):
        (made,) = measurements_on_paper(tmp_path, form)
        assert made.pages <= most
    text = page_of_measurements(Form().page("measurements")).text
    assert all(f"{function.__name__}(" in text for function in MEASUREMENTS)
