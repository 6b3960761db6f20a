"""Chapter 0: the sentences that reviews found false, each with the program that refutes it."""
import json
import re

import pytest

import minigrad as torch
from minigrad.book import points
from minigrad.book.content.chapters import exercise
from minigrad.book.content.chapters.on_paper import ON_PAPER
from minigrad.viz import draw
from tests import ROOT
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import code_cells, load, printed, source

CHAPTER = Chapter(0)
NOTEBOOK = ROOT / "notebooks" / "00_before_you_start.ipynb"


def calculation():
    u = torch.tensor(4., requires_grad=True)
    k = torch.tensor(5.)
    c = torch.tensor(6., requires_grad=True)
    return u, c, k, u * k + c


def slopes():
    u, c, k, total = calculation()
    total.backward()
    return [None if t.grad is None else t.grad.tolist() for t in (u, c, k)]


def kinds(view):
    *_, total = calculation()
    return sorted({line.split()[1].strip(",") for line in str(draw(total, view=view)).splitlines()[1:]})


def value_of_the_sum():
    return torch.ones(3).sum().grad_fn


def printed_after_backward():
    x = torch.tensor(3., requires_grad=True)
    y = x * x
    y.backward()
    return str(y)


FALSE = {
    "backward finds the slope for every number that went in": (slopes, [5., 1., None]),
    "in every picture, a box is a tensor or an operation": (
        lambda: kinds("engine"), ["AccumulateGrad", "constant", "leaf", "operation", "tensor"]),
    "the picture of this chapter has a box that is neither": (
        lambda: kinds("maths"), ["constant", "leaf", "operation", "tensor"]),
    "every result carries a record of how it was made": (value_of_the_sum, None),
    "a tensor with requires_grad=False is never a leaf": (lambda: torch.ones(3).is_leaf, True),
    "print(y) shows the slope once you have asked for it": (
        printed_after_backward, "tensor(9., grad_fn=<MulBackward0>)"),
}


@pytest.mark.parametrize("sentence", FALSE)
def test_a_false_sentence_is_refuted(sentence):
    assert sentence not in CHAPTER
    program, prints = FALSE[sentence]
    assert program() == prints


def test_the_table_explains_every_sign_of_the_picture():
    """What is written in the picture, apart from names, is in the table's first column."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    table = next(source(cell) for cell in cells if "| you see |" in source(cell))
    *_, total = calculation()
    written = {text.strip() for text in re.findall(r">([^<>]+)</text>", draw(total, view="maths").svg)}
    numbers = {text for text in written if re.fullmatch(r"[\d.]+", text)}
    operations, names = {"×", "+"}, {"u", "c", "k", "total"}
    assert {"0", "1", "26.0"} <= numbers and operations <= written
    words = {re.sub(r" ?\(.*\)", "", text) for text in written - numbers - operations - names}
    assert words == {"leaf", "constant", "tensor", ".grad None"}
    shapes = {shape for text in written for shape in re.findall(r"\([\d,]*\)", text)}
    for sign in ("leaf", "constant", "tensor", ".grad", "None", "`0` and `1`", "26.0", *shapes):
        assert sign in table, sign
    for shape in ("blue border", "thin border", "dashed", "hexagon", "arrows"):
        assert shape in table


def test_the_sheet_explains_the_signs_in_the_words_of_the_chapter():
    table = next(source(cell) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
                 if "| you see |" in source(cell))
    rows = [f"| {sign} | {meaning} |" for sign, meaning in ON_PAPER[0].reading]
    assert rows and not [row for row in rows if row not in table.replace("**", "").splitlines()]


@CHAPTER.says("if a weight grows a little, so does the loss.")
def test_half_of_the_gradients_of_the_line_make_its_loss_smaller():
    inputs, targets = map(torch.tensor, points())

    def loss_at(w, b):
        return ((w * inputs + b - targets) ** 2).mean()

    w, b = torch.tensor(4., requires_grad=True), torch.tensor(1., requires_grad=True)
    loss_at(w, b).backward()
    assert w.grad > 0 and b.grad > 0
    assert loss_at(4.01, 1.) > loss_at(4., 1.) < loss_at(4., 1.01)
    assert loss_at(4 - w.grad.item() / 2, 1 - b.grad.item() / 2) < loss_at(4., 1.)


def printed_by(number, part):
    """Return the lines that the one cell with `part` in its code has printed, in a chapter."""
    said, = [cell for cell in code_cells(load(number)) if part in source(cell)]
    return printed(said).splitlines()


def test_ten_steps_of_half_the_gradient_fit_the_line():
    losses = [float(loss) for loss in printed_by(0, "w.item() - 0.5")[0].split()]
    assert len(losses) == 10 and losses == sorted(losses, reverse=True) and losses[-1] < 0.02


@pytest.mark.parametrize(("step", "grows"), [(2., 1), (1.05, 1), (1., 0), (0.9, -1), (0.5, -1)])
def test_a_step_that_ends_further_away_than_it_began_is_followed_by_a_longer_one(step, grows):
    """What 0.1 says of its long steps: for `b`, while `w` stays at 4; its best value is 0.5."""
    inputs, targets = map(torch.tensor, points())
    b, distances = torch.tensor(1., requires_grad=True), []
    for _ in range(5):
        ((4. * inputs + b - targets) ** 2).mean().backward()
        distances.append(abs(b.item() - 0.5))
        b = torch.tensor(b.item() - step * b.grad.item(), requires_grad=True)
    pairs = zip(distances, distances[1:], strict=False)
    assert all(grows * (after - before) > -1e-4 for before, after in pairs)
    assert distances == pytest.approx([0.5] * 5, abs=1e-4) if grows == 0 else distances[1] != distances[0]


def test_the_program_of_0a_is_drawn_nowhere_before_its_check():
    """The words of a picture begin with the counts, so no output before the check may have those of 0a."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    end = next(at for at, cell in enumerate(cells) if 'check("0a", answer_0a)' in source(cell))
    shown = json.dumps([cell.get("outputs") for cell in cells[:end]])
    assert "1 leaf, 3 operations, 2 constants" not in shown
    assert not [cell for cell in cells if "draw(s" in source(cell)]


def test_the_answer_of_0a_is_what_the_picture_and_the_pass_of_its_cell_show():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    program = next(source(cell) for cell in cells if "s = (p * k + p) * m" in source(cell))
    names = {"torch": torch}
    exec(program, names)
    says = str(draw(names["s"], view="maths")).splitlines()[0]
    names["s"].backward()
    leaves, operations, slope = exercise("0a").expected(None).values()
    assert says.endswith(f"{leaves} leaf, {operations} operations, 2 constants.")
    assert slope == names["p"].grad.item() == 2 * 5 + 5
    assert len({leaves, operations, slope}) == 3  # a wrong rule gives a wrong number
