"""Chapter 8: its rules and tables on random programs, its picture of a memory, and its exercises."""
import random
import re
import warnings

import pytest

import minigrad as torch
from minigrad.book import draw_memory, expect_error, expect_warning
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import exercise
from minigrad.book.content.chapters.ch08 import LINES as LINES_OF_8A
from minigrad.book.content.chapters.ch08 import STANDARD, edits_that_fail, fails, searching
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load, texts

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


LINES = {"t + 4": "", "-t": "", "t.sum()": "", "t.mean()": "", "t.clone()": "", "t * 5": "", "t / 2": "",
         "1 / t": "", "t * t": "t", "t ** 2": "t", "t.abs()": "t", "t.log()": "t", "t.sin()": "t",
         "t.exp()": "y", "t.relu()": "y", "t.sqrt()": "y", "t.max()": "ty"}  # line: whose edit fails


def line(text):
    return lambda t: eval(text, {"t": t})


@pytest.mark.parametrize("text", [one for one in LINES if one != "1 / t"])    # the table leaves that one out
def test_the_table_of_the_chapter(text):
    """The table is read from the notebook, and each of its rows is tried."""
    cell, = [text for text in texts(load(8)) if "| edit `t` |" in text]
    row, = [row for row in cell.splitlines() if f"`{text}`" in row and row.startswith("|")]
    _, _, _, edit_t, edit_y, _ = (part.strip() for part in row.split("|"))
    assert fails(line(text), True) == (edit_t == "error") == ("t" in LINES[text])
    assert fails(line(text), False) == (edit_y == "error") == ("y" in LINES[text])


COUNTED = (lambda t: t.detach().mul_(1.5), lambda t: t.detach().view(3, 1).add_(1),
           lambda t: (t if t.grad_fn else t.detach()).mul_(1.5))    # recorded, unless it is a leaf
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
@CHAPTER.says("A write through `x.data` or NumPy doesn't change the version of `x`, so `backward()` can't "
              "notice it where `x` was saved.")
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


@pytest.mark.parametrize(("before", "after"), [(0, 0), (3, 0), (0, 2), (3, 2)])
@CHAPTER.says("A node that saves a tensor stores its version. A pass that reads the saved tensor raises an "
              "error if its version has changed.")
def test_a_node_stores_the_version_and_only_a_pass_that_reads_the_tensor_compares_it(before, after):
    t = leaf(1.5, 2.) + 4
    other = t + 1                       # its node saves nothing
    for _ in range(before):
        t.detach().mul_(1)
    assert t._version == before
    y = t ** 2
    for _ in range(after):
        t.detach().mul_(1)
    assert not error_of(other)
    found = error_of(y)
    assert bool(found) == (after > 0)
    if found:
        assert f"is at version {before + after}; expected version {before} instead" in found


@pytest.mark.parametrize("write", [lambda t: t.add_(0), lambda t: t.mul_(1), lambda t: t[:0].fill_(3),
                                   lambda t: t.copy_(t.clone()), lambda t: t.view(3, 1).add_(0)])
@CHAPTER.says("`backward()` compares versions, and not numbers.")
def test_a_write_that_changes_no_number_is_an_error_too(write):
    t = leaf(1.5, 2., 4.) + 1
    y = t ** 2
    with torch.no_grad():
        write(t)
    assert t.tolist() == [2.5, 3., 5.] and CHANGED in error_of(y)


def test_a_line_that_overwrites_its_own_input_saves_a_copy_of_it():
    """The comment at `b *= c + a` in the program of anomaly mode; another input isn't copied."""
    b, other = leaf(2., 3.) + 1, leaf(4., 5.)
    b *= other
    assert b.grad_fn._saved_self.tolist() == [3., 4.]
    assert b.grad_fn._saved_other.data_ptr() == other.data_ptr()
    assert not error_of(b)


@pytest.mark.parametrize("write", [
    lambda x: x.data.mul_(2), lambda x: x.data.view(2, 1).mul_(2), lambda x: x.data.detach().mul_(2),
    lambda x: x.numpy().__imul__(2), lambda x: torch.from_numpy(x.numpy()).mul_(2)])
@pytest.mark.parametrize("saved", [lambda x: x, lambda x: x.view(2), lambda x: x.detach()])
def test_a_write_that_the_saved_tensor_s_counter_does_not_count_is_not_noticed(write, saved):
    x, w = torch.tensor([1., 2.]), leaf(3., 5.)
    loss = w * saved(x)
    write(x)
    assert x._version == 0 and not error_of(loss) and w.grad.tolist() == [2, 4]


@pytest.mark.parametrize(("saved", "written", "noticed"), [
    ("x", "x", True), ("d", "d", True), ("x", "d", False), ("d", "x", False)])
@CHAPTER.says("| any element of a memory that a saved tensor uses | goes up | a pass that reads the saved "
              "tensor raises an error |",
              "| such an element | stays | the gradient can be wrong, without an error |")
def test_the_version_that_counts_is_that_of_the_saved_tensor(saved, written, noticed):
    """The recap, 8.2 and 8.3: `x` and `x.data` are two names of a memory, with a counter each."""
    x, w = torch.tensor([1., 2.]), leaf(3., 5.)
    names = {"x": x, "d": x.data}
    loss = w * names[saved]
    names[written].mul_(2)
    assert (CHANGED in error_of(loss)) if noticed else not error_of(loss) and w.grad.tolist() == [2, 4]


@pytest.mark.parametrize("write, right", [
    (lambda whole: whole.__setitem__(3, 9.), None), (lambda whole: whole.data.__setitem__(3, 9.), True),
    (lambda whole: whole.data.__setitem__(0, 9.), False), (lambda whole: whole.clone().fill_(9.), True)])
def test_the_recap_speaks_of_memories_and_not_of_elements(write, right):
    w, buffer = leaf(1., 2.), torch.arange(4.)
    loss = w * buffer[:2]
    write(buffer)
    assert (None if CHANGED in error_of(loss) else w.grad.tolist() == [0, 1]) is right


@CHAPTER.says("(`t.norm()` is the root of the sum of the squares, `t.prod()` the product of all elements, "
              "and `t.logsumexp(0)` is `t.exp().sum().log()`.)")
def test_the_three_functions_of_8a_that_no_chapter_explained_are_what_its_text_says():
    t = torch.tensor([3., -5., 7.])
    assert torch.allclose(t.norm(), (t ** 2).sum().sqrt()) and t.prod() == t[0] * t[1] * t[2]
    assert torch.allclose(t.logsumexp(0), t.exp().sum().log())


@pytest.mark.parametrize(("made", "write", "named"), [
    (lambda u: u.view(2, 1), lambda t: t.mul_(2), "AsStrided"),
    (lambda u: u + 4, lambda t: t.view(2, 1).mul_(2), "Add"),
    (lambda u: u.detach() * 1, lambda t: t.add_(1), None)])
def test_what_the_message_names_after_an_unrecorded_write(made, write, named):
    u = leaf(3., 4.)
    t = made(u)
    y = t ** 2 if t.requires_grad else t * u
    with torch.no_grad():
        write(t)
    found = re.search(r"output 0 of (\w+)", error_of(y))
    assert (found and found[1]) == named


# --- the picture of one memory ------------------------------------------------------------------------------

def test_the_picture_tells_counters_apart_changes_no_version_and_fits_the_page():
    t = torch.zeros(3, requires_grad=True)
    y = t ** 2
    names = {"t": t, "view": t.view(3, 1), "detached": t.detach(), "data": t.data, "array": t.data.numpy()}
    picture = draw_memory(**names)
    assert str(picture).splitlines()[1:] == [
        "A memory of 3 numbers: 0, 0, 0", "  t, view and detached: one counter at version 0",
        "  data: counter at version 0", "  array: no counter"]
    assert not error_of(y) and names["data"]._version == 0
    assert float(re.search(r'width="([\d.]+)pt"', picture.svg)[1]) <= 536      # 715 pixels


def test_the_picture_shows_parts_copies_and_tensors_without_a_counter():
    buffer = torch.arange(4.)
    with torch.inference_mode():
        sealed = torch.ones(2)
    text = str(draw_memory(buffer=buffer, part=buffer[:2], last=buffer[3], copy=buffer[:1].clone(),
                           sealed=sealed, turned=torch.ones(2, 3).T, big=torch.zeros(1000)))
    assert text.splitlines()[1:] == [
        "A memory of 4 numbers: 0, 1, 2, 3",
        "  buffer, part (elements 0 to 1) and last (element 3): one counter at version 0",
        "A memory of 1 number: 0", "  copy: counter at version 0",
        "A memory of 2 numbers: 1, 1", "  sealed: no counter",
        "A memory of 6 numbers: 1, 1, 1, 1, 1, 1", "  turned: counter at version 0",
        "A memory of 1000 numbers", "  big: counter at version 0"]
    for values, error in (({}, ValueError), ({"t": 3}, TypeError)):
        with pytest.raises(error, match="draw_memory takes"):
            draw_memory(**values)


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


def test_8a_s_lines_fail_after_the_write_that_they_are_sorted_by():
    for edit, codes in LINES_OF_8A.items():
        assert edits_that_fail(codes) == [edit] * len(codes)


def test_8a_takes_other_words_and_says_which_there_are():
    assert first_wrong(exercise("8a"), ["t", "neither", "y", "both"], STANDARD) is None
    said = first_wrong(exercise("8a"), ["input", "none", "perhaps", "both"], STANDARD)
    assert 'answer with "input"' in said


def without_w(x, target, steps, rate):
    """Another repair: it returns a number."""
    w, best = torch.tensor(1., requires_grad=True), (float("inf"), None)
    for _ in range(steps):
        loss = ((w * x - target) ** 2).mean()
        best = min(best, (loss.item(), w.item()))
        step, = torch.autograd.grad(loss, w)
        w = (w - rate * step).detach().requires_grad_()
    return best[1]


@pytest.mark.parametrize(("answer", "says"), [
    (without_w, None), (searching(lambda w: w), "returned w itself"), (3, "should be a function"),
    (lambda: 1, "should take x, target, steps and rate"),
    (lambda x, target, steps, rate: target, "should return a weight")])
def test_8b_takes_every_repair_and_says_what_is_missing(answer, says):
    said = first_wrong(exercise("8b"), answer, None)
    assert said is None if says is None else says in said.replace("`", "")
