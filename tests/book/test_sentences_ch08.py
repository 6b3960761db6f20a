"""Chapter 8: sentences that earlier editions got wrong, and programs that try to break its rules."""
import random
import re
import textwrap
import warnings

import pytest

import minigrad as torch
from minigrad.book import expect_error, expect_warning
from minigrad.book.chapters import of
from minigrad.book.chapters.ch08 import LINES as LINES_OF_8A
from minigrad.book.chapters.ch08 import STANDARD, edits_that_fail, fails
from minigrad.book.exercises import judged
from minigrad.book.judging import first_wrong
from minigrad.book.verdict import NOT_YET
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load, source, texts

CHAPTER = Chapter(8)
CHANGED = "modified by an inplace operation"


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def error_of(root):
    """Return the message of the error that a pass from `root` raises, or nothing."""
    try:
        root.sum().backward()
    except RuntimeError as error:
        return str(error)
    return ""


def maker(message):
    found = re.search(r"output 0 of (\w+)", message)
    return found and found[1]


def named_after(write, line=lambda t: t ** 2):
    """Return the operation that the version error names, when `write` changes what `line` saved."""
    t = leaf(3., 5.) + 4
    y = line(t)
    write(t, y)
    return maker(error_of(y))


def under_no_grad(t, y):
    with torch.no_grad():
        t.mul_(5)


def gradient_after(line, write):
    x = leaf(1., 2., 3.)
    y = line(x)
    write(x)
    return error_of(y) or x.grad.tolist()


def write_to_the_result():
    t = leaf(3., 5., 7.)
    y = t ** 2
    y.add_(1)
    return error_of(y) or t.grad.tolist()


def steps_through_data():
    w, losses = leaf(4., 5., 9.), []
    for _ in range(3):
        w.grad = None
        loss = (w * w).mean()
        loss.backward()
        losses.append(loss.item())
        w.data -= 0.5 * w.grad
    return losses == sorted(losses, reverse=True)


def recorded_write_to_an_intermediate():
    """A recorded write to what would be a leaf makes a result of it, and no cycle."""
    t = leaf(3.) * 1
    t.mul_(5)
    t.sum().backward()
    return t.is_leaf, t.grad_fn.name()


def recorded_write_to_a_leaf():
    with pytest.raises(RuntimeError) as caught:
        leaf(3.).add_(5)
    return CHANGED in str(caught.value)


def repaired_program_of_anomaly_mode():
    """Make the repair that the chapter names, and return whether all of its numbers are finite."""
    cell, = [text for text in map(source, load(8)["cells"]) if "set_detect_anomaly(True)):" in text]
    lines = textwrap.dedent(cell.partition("(True)):\n")[2])
    names = {"torch": torch}
    exec(lines.replace("d *= 5", "d = d * 5").replace("b.sum()", "d.sum()"), names)
    return all(torch.isfinite(one).all().item() for one in (names["d"], names["a"].grad, names["c"].grad))


SENTENCES = [
    ("output 0 of Add is the result of your addition", lambda: named_after(lambda t, y: t.mul_(5)), "Mul"),
    ("it always names the write", lambda: named_after(lambda t, y: t.detach().mul_(5)), "Add"),
    ("it names a write under no_grad", lambda: named_after(under_no_grad), "Add"),
    ("it names the write to a saved result",
     lambda: named_after(lambda t, y: y.mul_(5), lambda t: t.exp()), "Exp"),
    ("it is there for a leaf", lambda: maker(gradient_after(lambda x: x ** 2, lambda x: x.detach().mul_(5))),
     None),
    ("x * 2 and x.data[0] = 999 give a wrong gradient or crash",
     lambda: gradient_after(lambda x: x * 2, lambda x: x.data.fill_(999)), [2, 2, 2]),
    ("no error means a right gradient",
     lambda: gradient_after(lambda x: x * x, lambda x: x.data.fill_(100)), [200, 200, 200]),
    ("y.add_(1) after a square raises", write_to_the_result, [6, 10, 14]),
    ("w.data -= ... breaks the next forward pass", steps_through_data, True),
    ("updating the tensor itself makes a cyclic graph", recorded_write_to_an_intermediate,
     (False, "MulBackward0")),
    ("only a write that changes values is noticed",
     lambda: CHANGED in gradient_after(lambda x: x * x, lambda x: x.detach().add_(0)), True),
    ("t.add_(5) on a leaf, without no_grad, shows whether t was saved", recorded_write_to_a_leaf, False),
    ("the repaired program of anomaly mode ends in inf", repaired_program_of_anomaly_mode, True),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

LINES = {"t + 4": "", "-t": "", "t.sum()": "", "t.mean()": "", "t.clone()": "", "t * 5": "", "t / 2": "",
         "1 / t": "", "t * t": "t", "t ** 2": "t", "t.abs()": "t", "t.log()": "t", "t.sin()": "t",
         "t.exp()": "y", "t.relu()": "y", "t.sqrt()": "y", "t.max()": "ty"}  # line: whose edit fails


def line(text):
    return lambda t: eval(text, {"t": t})


@pytest.mark.parametrize("text", LINES)
def test_the_table_of_the_chapter(text):
    """The table is read from the notebook, and each of its rows is tried."""
    cell, = [text for text in texts(load(8)) if "| edit `t` |" in text]
    row, = [row for row in cell.splitlines() if f"`{text}`" in row and row.startswith("|")]
    _, _, _, edit_t, edit_y, _ = (part.strip() for part in row.split("|"))
    assert fails(line(text), True) == (edit_t == "error") == ("t" in LINES[text])
    assert fails(line(text), False) == (edit_y == "error") == ("y" in LINES[text])


COUNTED = (lambda t: t.detach().mul_(1.5), lambda t: t.detach().view(3, 1).add_(1))
SILENT = (lambda t: t.data.mul_(1.5), lambda t: t.detach().numpy().fill(1.5))


def program(rng):
    """Return (a leaf, the results of some random lines, which of them a later line saved, the loss)."""
    x = leaf(1.5, 2., 4.)
    results, saved = [x], []
    for _ in range(rng.randint(2, 5)):
        at, text = rng.randrange(len(results)), rng.choice([one for one in LINES if ".m" not in one])
        result = line(text)(results[at])
        if "t" in LINES[text]:
            saved.append(results[at])
        if "y" in LINES[text]:
            saved.append(result)
        results.append(result if result.shape else result + torch.zeros(3))
    loss = sum(one.sum() for one in results[1:])      # every line is on a path from the loss
    return x, results, saved, loss


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("counted", [True, False])
@CHAPTER.says("`backward()` raises an error if it reads a saved tensor whose version has changed since the "
              "tensor was saved.",
              "An edit through `.data` or NumPy leaves the version as it is. If the backward pass reads the "
              "edited values, the gradient can be wrong without an error.",
              "After the forward pass, a write that isn't recorded affects the backward pass only if it "
              "changes a saved value.")
def test_an_edit_fails_or_lies_only_where_a_value_was_saved(seed, counted):
    rng = random.Random(seed)
    right, _, _, loss = program(random.Random(seed))
    loss.backward()
    x, results, saved, loss = program(rng)
    edited = rng.choice(results)
    rng.choice(COUNTED if counted else SILENT)(edited)
    message = error_of(loss)
    was_saved = any(one is edited for one in saved)
    assert (CHANGED in message) == (was_saved and counted)
    if not was_saved:
        assert torch.allclose(x.grad, right.grad)


def test_versions_are_shared_by_views_and_detach_and_not_by_data_and_numpy():
    t = torch.zeros(3)
    for count, write in enumerate((lambda: t.add_(5), lambda: t.view(3, 1).mul_(2), lambda: t[1:].fill_(3),
                                   lambda: t.detach().add_(1)), 1):
        write()
        assert t._version == count
    t.data.add_(1)
    t.numpy().fill(3)
    assert t._version == 4
    assert t.tolist() == [3, 3, 3]


# --- what the chapter calls, and its exercises --------------------------------------------------------------

def test_anomaly_mode_prints_the_lines_of_cells_and_not_jupyter_s(capsys):
    with expect_warning(UserWarning):
        warnings.warn('Error.\n  File "/lib/ipykernel/launcher.py", line 18, in <module>\n    start()\n'
                      '  File "/tmp/ipykernel_12/345.py", line 7, in <module>\n    d = b.exp_()\n'
                      " (Triggered internally at /w/anomaly.cpp:122.)", stacklevel=1)
        warnings.warn('  File "train.py", line 7, in <module>\n    d = b.exp_()\n', stacklevel=1)
    assert capsys.readouterr().out == (
        'UserWarning: Error.\n  File "<cell>", line 7, in <module>\n    d = b.exp_()\n'
        'UserWarning:   File "train.py", line 7, in <module>\n    d = b.exp_()\n\n')


def test_an_expected_error_can_be_printed_without_its_hint(capsys):
    with expect_error(RuntimeError, hint=False):
        raise RuntimeError("It is at version 1. Hint: look further above.")
    assert capsys.readouterr().out == "RuntimeError: It is at version 1.\n"


def test_8a_is_found_by_trying():
    assert edits_that_fail(STANDARD) == ["input", "none", "output", "both"]


@pytest.mark.parametrize("edit", LINES_OF_8A)
def test_8a_asks_what_the_slopes_say(edit):
    for code, slope in LINES_OF_8A[edit].items():
        assert edits_that_fail([f"{code}: slope {slope}"]) == [edit]
        assert ("t" in slope, "y" in slope) == (edit in ("input", "both"), edit in ("output", "both"))
        t = leaf(0.3, 0.5, 0.9)
        y = line(code)(t)
        gradient, = torch.autograd.grad(y.sum(), t)
        if slope != "0 or 1":
            told = re.sub(r"2([ty])", r"(2 * \1)", slope.replace("²", " ** 2"))
            there = eval(told, {"t": t.detach(), "y": y.detach()})
            assert torch.allclose(gradient, there * torch.ones(3))


def test_8a_differs_between_the_sheets_and_takes_other_words():
    asked = next(one for one in of(8).EXERCISES if one.id == "8a")
    assert len({tuple(asked.told(asked.numbers(seat))) for seat in "ABCD"}) == 4
    assert first_wrong(asked, ["t", "none", "y", "both"], STANDARD) is None
    for wrong, says in (("perhaps", 'answer with "input"'), ("input", "computed from the result")):
        assert says in first_wrong(asked, ["input", "none", wrong, "both"], STANDARD)


def test_8b_takes_every_repair():
    asked = next(one for one in of(8).EXERCISES if one.id == "8b")

    def numbers(x, wanted, steps, rate):
        w, best = torch.tensor(1., requires_grad=True), (float("inf"), None)
        for _ in range(steps):
            loss = ((w * x - wanted) ** 2).mean()
            best = min(best, (loss.item(), w.item()))
            step, = torch.autograd.grad(loss, w)
            w = (w - rate * step).detach().requires_grad_()
        return best[1]

    assert first_wrong(asked, numbers, None) is None
    for broken in (3, lambda: 1, lambda x, wanted, steps, rate: wanted):
        kind, _, says, *_ = judged(asked, broken)
        assert kind == NOT_YET and says
