"""Chapter 0: the sentences that reviews found false, each with the program that refutes it."""
import json
import re
from urllib.parse import unquote

import numpy as np
import pytest

import minigrad as torch
from minigrad.book import points
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import judge
from minigrad.book.classroom.verdict import NOT_ANSWERED, RIGHT
from minigrad.book.content.chapters import exercise, of
from minigrad.book.content.chapters.on_paper import ON_PAPER
from minigrad.viz import draw, play
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


def passes_of_a_sum():
    p, q = torch.tensor(3., requires_grad=True), torch.tensor(5., requires_grad=True)
    s = p + q
    s.backward()
    s.backward()        # a sum has saved nothing
    return p.grad.item()


def top_of_the_error():
    """Return what is written at the top of the picture of the chapter's error."""
    cells = code_cells(load(0))
    shown = next(cell for cell in cells if source(cell).startswith("explain()"))
    svg = unquote("".join(shown["outputs"][-1]["data"]["text/html"]))
    tops = {words: float(y) for y, words in re.findall(r"y='(-[\d.]+)'[^<]*?>([^<]+)</text>", svg)}
    return min(tops, key=tops.get)


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
    "the first w is the leaf at the left of the picture": (top_of_the_error, "leaf ()"),
    "a pass frees what was saved, so the graph is made again": (passes_of_a_sum, 2.),
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


@CHAPTER.says("How near do you come to 0.0124, the smallest possible loss?")
def test_no_line_has_a_smaller_loss():
    inputs, targets = map(np.array, points())
    _, squares, *_ = np.linalg.lstsq(np.column_stack([inputs, np.ones(9)]), targets, rcond=None)
    assert round(squares[0] / 9, 4) == 0.0124


def test_the_best_b_is_exactly_a_half_for_every_w():
    """The inputs are symmetric, so the best `b` is the mean of the targets; the reply to 0.1 says so, too."""
    inputs, targets = points()
    assert sum(inputs) == 0 and np.mean(targets) == pytest.approx(0.5, abs=1e-12)
    right = next(option for option in of(0).QUESTIONS[0].options if option.belief is None)
    assert "past its best value, 0.5." in right.says


@CHAPTER.says("PyTorch calls it a leaf, too; the pictures don't")
def test_a_constant_is_a_leaf_that_the_pictures_count_apart():
    _, _, k, total = calculation()
    assert k.is_leaf and not k.requires_grad
    for view in "maths", "engine":
        assert "2 leaves, 2 operations, 1 constant" in str(draw(total, view=view)).splitlines()[0]


@CHAPTER.says("Each box here shows the shape of its tensor, `()` for one number, and its value, such as "
              "`26.0`.")
def test_a_box_without_a_shape_or_a_value_is_one_of_which_neither_is_kept():
    a = torch.tensor(3., requires_grad=True)
    u, c, k, _ = calculation()
    product = u * k
    first, other = draw(product + c, view="maths"), draw(a * a + 1, view="engine")

    def boxes(drawn):
        kinds = r"n\d+ (?:\w+,? )*?(?:leaf|constant|tensor)\b"
        return [line for line in str(drawn).splitlines() if re.match(kinds, line)]

    assert len(boxes(first)) == 5
    assert all(re.search(r"shape \(\), value [\d.]+", line) for line in boxes(first))
    one, = [line for line in boxes(other) if "shape" not in line]
    assert "constant, value not kept" in one


@CHAPTER.says("The first pass has used the graph up (chapter 6 says how), so the cell makes a new one.")
def test_a_played_pass_leaves_the_graph_as_it_was_and_a_real_one_does_not():
    u, c, _, total = calculation()
    first, second = play(total), play(total)
    assert str(first) == str(second) and u.grad is None and c.grad is None
    total.backward()
    assert (u.grad.item(), c.grad.item()) == (5., 1.)
    with pytest.raises(RuntimeError, match="a second time"):
        play(total)


def loop_of_0b(rate=0.5, leaf="in place", emptied=True, steps=6):
    """Run a loop of 0b, in the tensors' own precision, and return its `w`."""
    x, target = map(torch.tensor, points())
    w = torch.tensor(4., requires_grad=True)
    for _ in range(steps):
        ((w * x + 0.5 - target) ** 2).mean().backward()
        if leaf == "in place":
            with torch.no_grad():
                w -= rate * w.grad
            if emptied:
                w.grad = None
        else:
            w = (w - rate * w.grad).detach().requires_grad_()
    return w


@pytest.mark.parametrize(("loop", "belief", "says"), [
    ({}, None, ""), ({"leaf": "new"}, None, ""), ({"emptied": False}, "M02", "the sum of the gradients"),
    ({"rate": -0.5}, None, "climb"), ({"steps": 1}, None, "after one step")])
def test_what_0b_says_to_a_loop_is_what_the_loop_does(loop, belief, says):
    kind, _, *said = judged(exercise("0b"), loop_of_0b(**loop))
    assert (kind == RIGHT) == (not says) and says in " ".join(said)
    found = judge(exercise("0b"), loop_of_0b(**loop), None)
    assert found.wrong is None if kind == RIGHT else found.wrong.belief == belief


def test_a_loop_of_0b_without_a_step_has_no_answer_yet():
    kind, _, says = judged(exercise("0b"), loop_of_0b(rate=0.))
    assert kind == NOT_ANSWERED and "no step has changed it" in says


@CHAPTER.says("With 0.5, one step brings `b` to its best value, 0.5. With 0.9, each step crosses it and ends "
              "nearer; with 1.1, further away.")
@pytest.mark.parametrize(("step", "grows"), [(2., 1), (1.1, 1), (1., 0), (0.9, -1)])
def test_a_step_that_ends_further_away_than_it_began_is_followed_by_a_longer_one(step, grows):
    """What 0.1 says of its long steps: for `b`, while `w` stays at 4; its best value is 0.5."""
    inputs, targets = map(torch.tensor, points())
    b, distances = torch.tensor(1., requires_grad=True), []
    for _ in range(5):
        ((4. * inputs + b - targets) ** 2).mean().backward()
        distances.append(b.item() - 0.5)
        b = torch.tensor(b.item() - step * b.grad.item(), requires_grad=True)
    pairs = list(zip(distances, distances[1:], strict=False))
    assert all(before * after < 0 for before, after in pairs)
    assert all(grows * (abs(after) - abs(before)) > -1e-4 for before, after in pairs)
    assert abs(distances[0]) == pytest.approx(0.5) and (grows != 0) == (abs(distances[-1]) < 0.4
                                                                       or abs(distances[-1]) > 0.6)


@CHAPTER.says("With 0.5, one step brings `b` to its best value, 0.5.")
def test_a_step_of_half_the_gradient_brings_b_to_its_best_value_at_once():
    inputs, targets = map(torch.tensor, points())
    b = torch.tensor(1., requires_grad=True)
    ((4. * inputs + b - targets) ** 2).mean().backward()
    assert b.item() - 0.5 * b.grad.item() == pytest.approx(0.5, abs=1e-6)
