"""Chapter 8: sentences that earlier editions got wrong, and programs that try to break its rules."""
import random
import re
import textwrap
import warnings

import pytest

import minigrad as torch
from minigrad.book import draw_memory, expect_error, expect_warning
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.verdict import NOT_YET
from minigrad.book.content.chapters import of
from minigrad.book.content.chapters.ch08 import LINES as LINES_OF_8A
from minigrad.book.content.chapters.ch08 import STANDARD, edits_that_fail, fails, searching
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
    cell, = [text for text in map(source, load(8)["cells"]) if "set_detect_anomaly(True):" in text]
    before, _, block = cell.partition("with torch.autograd.set_detect_anomaly(True):\n")
    lines = textwrap.dedent(block.partition("    with expect_error")[0])
    names = {"torch": torch}
    exec(before + lines.replace("d *= 5", "d = d * 5") + "d.sum().backward()", names)
    return all(torch.isfinite(one).all().item() for one in (names["d"], names["a"].grad, names["c"].grad))


def error_with_a_second_name(saved, written):
    """Return the error, or the gradient, if `x` and `x.data` are two names of what a product saves."""
    x, w = torch.tensor([1., 2.]), leaf(3., 5.)
    d = x.data
    loss = w * saved(x, d)
    written(x, d).mul_(2)
    return error_of(loss) or w.grad.tolist()


def adds_zero():
    """A write that changes no value, of a tensor that the square saved."""
    x = leaf(3.)
    t = x + 4
    y = t ** 2
    with torch.no_grad():
        t.add_(0)
    return "is at version 1; expected version 0" in error_of(y), t.item()


def restores_its_value():
    t = leaf(3.) + 4
    y = t ** 2
    t.detach().mul_(2).div_(2)
    return "is at version 2" in error_of(y), t.item()


def writes_to_an_element_that_was_never_read(copied=False):
    w, buffer = leaf(1., 2.), torch.arange(4.)
    y = (w * (buffer[:2].clone() if copied else buffer[:2])).sum()
    buffer[3] = 9.
    return error_of(y)[-1:] or w.grad.tolist()


def named_for_a_view(write):
    t = (leaf(3., 4.) + 1).view(2, 1)
    y = t ** 2
    with torch.no_grad():
        write(t)
    return maker(error_of(y))


def named_for_a_view_that_was_not_recorded():
    w, buffer = leaf(1., 2.), torch.arange(4.)
    y = w * buffer[:2]
    buffer[3] = 9.
    return maker(error_of(y))


def version_of_an_inference_tensor():
    with torch.inference_mode():
        sealed = torch.zeros(3)
    with pytest.raises(RuntimeError) as caught:
        sealed._version
    return str(caught.value)


def edges_after_detach_():
    """What was recorded before `detach_()` keeps its edges, and what saved the tensor raises an error."""
    x = leaf(3.)
    y = x * x
    added, product = y + x, y * x
    y.detach_()
    return error_of(added), x.grad.tolist(), "detached in-place" in error_of(product), y._version


SENTENCES = [
    ("After the forward pass, a write that isn't recorded affects the backward pass only if it changes a "
     "saved value.", adds_zero, (True, 7)),
    ("If the saved tensor is a view, the message says `AsStrided`.",
     named_for_a_view_that_was_not_recorded, None),
    ("a write that is taken back does no harm", restores_its_value, (True, 7)),
    ("only other tensors | the gradient is right", writes_to_an_element_that_was_never_read, "."),
    ("a slice needs no clone()", lambda: writes_to_an_element_that_was_never_read(True), [0, 1]),
    ("After an unrecorded write, the message names the operation that made t",
     lambda: named_for_a_view(lambda t: t.mul_(5)), "AsStrided"),
    ("look for this operation in your code, and for writes after it", lambda: named_after(
        lambda t, y: t.__setitem__(0, 1.)), "torch"),      # ::autograd::CopySlices
    ("Each tensor has a version", version_of_an_inference_tensor,
     "Inference tensors do not track version counter."),
    ("detach_() removes the graph that was recorded before", edges_after_detach_, ("", [7], True, 0)),
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
    ("A write through `.data` or NumPy leaves the tensor's version as it is, so `backward()` can't notice it",
     lambda: CHANGED in error_with_a_second_name(lambda x, d: d, lambda x, d: d), True),
    ("| and the version stays (`.data`, NumPy) |",
     lambda: error_with_a_second_name(lambda x, d: d, lambda x, d: x), [2, 4]),
    ("a leaf that requires a gradient, as in `w.mul_(5)` outside `no_grad`, | and the version goes up",
     lambda: CHANGED in gradient_after(lambda x: x * 2, lambda x: x.detach().mul_(5)), False),
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


@pytest.mark.parametrize("saves", [lambda t: t ** 2, lambda t: t * t.detach(), lambda t: t.sin()])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (3, 0), (0, 2), (3, 2)])
@CHAPTER.says("A node that saves a tensor stores its version. A pass that reads the saved tensor raises an "
              "error if its version has changed.")
def test_a_node_stores_the_version_and_only_a_pass_that_reads_the_tensor_compares_it(saves, before, after):
    t = leaf(1.5, 2.) + 4
    other = t + 1                       # its node saves nothing
    for _ in range(before):
        t.detach().mul_(1)
    assert t._version == before
    y = saves(t)
    for _ in range(after):
        t.detach().mul_(1)
    assert not error_of(other)
    found = error_of(y)
    assert bool(found) == (after > 0)
    if found:
        assert f"is at version {before + after}; expected version {before} instead" in found


@pytest.mark.parametrize("write", [lambda t: t.add_(0), lambda t: t.mul_(1), lambda t: t[:0].fill_(3),
                                   lambda t: t.copy_(t.clone()), lambda t: t.view(3, 1).add_(0)])
@pytest.mark.parametrize("text", [text for text in LINES if LINES[text] == "t"])
@CHAPTER.says("`backward()` compares versions, and not numbers.")
def test_a_write_that_changes_no_number_is_an_error_too(text, write):
    t = leaf(1.5, 2., 4.) + 1
    before = t.tolist()
    y = line(text)(t)
    with torch.no_grad():
        write(t)
    assert t.tolist() == before and CHANGED in error_of(y)


def test_a_line_that_overwrites_its_own_input_saves_a_copy_of_it():
    """The comment at `b *= c + a` in the program of anomaly mode; another input isn't copied."""
    code = next(text for text in map(source, load(8)["cells"]) if "set_detect_anomaly(True):" in text)
    assert "# overwrites b, so it saves a copy of b" in code
    b, other = leaf(2., 3.) + 1, leaf(4., 5.)
    address, before = b.data_ptr(), b.tolist()
    b *= other
    saved = b.grad_fn._saved_self
    assert b.data_ptr() == address != saved.data_ptr() and saved.tolist() == before
    assert b.grad_fn._saved_other.data_ptr() == other.data_ptr()
    assert not error_of(b)


@CHAPTER.says("Their method `step()` writes new values into the weights that an optimizer holds, in a "
              "`no_grad` block, as you do")
def test_a_step_is_counted_and_not_recorded():
    for optimizer in (torch.optim.SGD, torch.optim.Adam):
        w = leaf(1., 2.)
        (w * w).sum().backward()
        optimizer([w], lr=0.1).step()
        assert w.is_leaf and w.grad_fn is None and w._version > 0


HIDDEN = (lambda x: x.data.mul_(2), lambda x: x.data.view(2, 1).mul_(2), lambda x: x.data.detach().mul_(2),
          lambda x: x.numpy().__imul__(2), lambda x: torch.from_numpy(x.numpy()).mul_(2))


@pytest.mark.parametrize("write", HIDDEN)
def test_a_write_that_the_saved_tensor_s_counter_does_not_count_is_not_noticed(write):
    """The rule: whether `x`, a view of it or `x.detach()` was saved."""
    for saved in (lambda x: x, lambda x: x.view(2), lambda x: x.detach()):
        x, w = torch.tensor([1., 2.]), leaf(3., 5.)
        loss = w * saved(x)
        write(x)
        assert x._version == 0 and not error_of(loss) and w.grad.tolist() == [2, 4]


@pytest.mark.parametrize(("saved", "written", "noticed"), [
    (0, 0, True), (1, 1, True), (0, 1, False), (1, 0, False)])
@CHAPTER.says("| any element of a memory that a saved tensor uses | goes up | a pass that reads the saved "
              "tensor raises an error |",
              "| such an element | stays | the gradient can be wrong, without an error |")
def test_the_version_that_counts_is_that_of_the_saved_tensor(saved, written, noticed):
    """The recap, 8.2 and 8.3: of two names with a counter each, a write goes up on the counter of its own."""
    found = error_with_a_second_name(lambda *names: names[saved], lambda *names: names[written])
    assert (CHANGED in found) if noticed else found == [2, 4]


def test_the_smallest_fix_of_the_activation_is_another_tensor():
    """`r += h` writes to the result that relu saved, and `r = r + h` doesn't; `h` may change after it."""
    def run(add, line=torch.relu):
        x = leaf(-1., 2.)
        h = x * 2
        return error_of(add(line(h), h)) or x.grad.tolist()

    assert CHANGED in run(lambda r, h: r.add_(h)) and run(lambda r, h: r + h) == [2, 4]
    assert run(lambda r, h: r.add_(h), lambda h: h + 1) == [4, 4]


@pytest.mark.parametrize("write, right", [
    (lambda whole: whole.__setitem__(3, 9.), None), (lambda whole: whole.data.__setitem__(3, 9.), True),
    (lambda whole: whole.data.__setitem__(0, 9.), False), (lambda whole: whole.clone().fill_(9.), True)])
def test_the_recap_speaks_of_memories_and_not_of_elements(write, right):
    w, buffer = leaf(1., 2.), torch.arange(4.)
    loss = w * buffer[:2]
    write(buffer)
    assert (None if CHANGED in error_of(loss) else w.grad.tolist() == [0, 1]) is right


def test_only_the_write_itself_to_a_leaf_is_refused():
    for write in (lambda w: w.mul_(5), lambda w: w.view(2, 1).mul_(5), lambda w: w.__setitem__(0, 5.)):
        w = leaf(1., 2.)
        with pytest.raises(RuntimeError, match="a (view of a )?leaf Variable that requires grad"):
            write(w)
        assert w.tolist() == [1, 2] and w._version == 0
    w.data.mul_(5)
    assert w.tolist() == [5, 10] and w._version == 0
    with torch.no_grad():
        w.mul_(5)
    assert w.tolist() == [25, 50] and w._version == 1


@CHAPTER.says("(`t.norm()` is the root of the sum of the squares, `t.prod()` the product of all elements, "
              "and `t.logsumexp(0)` is `t.exp().sum().log()`.)")
def test_the_three_functions_of_8a_that_no_chapter_explained_are_what_its_text_says():
    t = torch.tensor([3., -5., 7.])
    assert torch.allclose(t.norm(), (t ** 2).sum().sqrt()) and t.prod() == t[0] * t[1] * t[2]
    assert torch.allclose(t.logsumexp(0), t.exp().sum().log())


@pytest.mark.parametrize(("made", "write", "named"), [
    (lambda u: u.view(2, 1), lambda t: t.mul_(2), "AsStrided"),
    (lambda u: (u + 4)[:1], lambda t: t.mul_(2), "AsStrided"),
    (lambda u: u + 4, lambda t: t.view(2, 1).mul_(2), "Add"),
    (lambda u: u + 4, lambda t: t.add_(0), "Add"),
    (lambda u: u * 1, lambda t: t[:1].fill_(2), "Mul"),
    (lambda u: u.detach() * 1, lambda t: t.add_(1), None)])
def test_what_the_message_names_after_an_unrecorded_write(made, write, named):
    u = leaf(3., 4.)
    t = made(u)
    y = t ** 2 if t.requires_grad else t * u
    with torch.no_grad():
        write(t)
    assert maker(error_of(y)) == named


def test_the_text_of_the_slice_says_what_its_check_demands():
    assert ("While operations are recorded, `add_` refuses a leaf that requires a gradient, with a "
            "`RuntimeError`: `a leaf Variable that requires grad is being used in an in-place operation`"
            ) in CHAPTER
    assert "the optimizer of your engine moves the weights with `add_`" in CHAPTER


# --- the picture of one memory ------------------------------------------------------------------------------

def test_the_picture_tells_counters_apart_and_changes_no_version():
    t = torch.zeros(3)
    names = {"t": t, "view": t.view(3, 1), "detached": t.detach(), "data": t.data, "array": t.numpy()}
    assert str(draw_memory(**names)).splitlines()[1:] == [
        "A memory of 3 numbers: 0, 0, 0", "  t, view and detached: one counter at version 0",
        "  data: counter at version 0", "  array: no counter"]
    assert t._version == names["data"]._version == 0
    y = t.requires_grad_() ** 2
    draw_memory(**names)
    assert not error_of(y)


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


def test_the_picture_fits_the_page_and_refuses_what_it_cannot_draw():
    t = torch.zeros(3)
    picture = draw_memory(t=t, view=t.view(3, 1), detached=t.detach(), data=t.data, array=t.numpy())
    assert float(re.search(r'width="([\d.]+)pt"', picture.svg)[1]) <= 536      # 715 pixels
    for values, error in (({}, ValueError), ({"t": 3}, TypeError), ({"t": None}, TypeError)):
        with pytest.raises(error, match="draw_memory takes"):
            draw_memory(**values)


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
def test_8a_s_lines_fail_after_the_write_that_they_are_sorted_by(edit):
    for code in LINES_OF_8A[edit]:
        assert edits_that_fail([code]) == [edit]


def test_8a_differs_between_the_sheets_and_takes_other_words():
    asked = next(one for one in of(8).EXERCISES if one.id == "8a")
    assert len({tuple(asked.told(asked.numbers(seat))) for seat in "ABCD"}) == 4
    assert first_wrong(asked, ["t", "none", "y", "both"], STANDARD) is None
    for wrong, says in (("perhaps", 'answer with "input"'), ("input", "computed from the result"),
                        ("none", "contains `y`, so the node saves")):
        assert says.replace("`", "") in first_wrong(asked, ["input", "none", wrong, "both"], STANDARD)
    assert first_wrong(asked, ["input", "neither", "output", "both"], STANDARD) is None
    assert "so the node saves" in first_wrong(asked, ["none"] * 4, STANDARD)


def test_8b_takes_every_repair():
    asked = next(one for one in of(8).EXERCISES if one.id == "8b")

    def numbers(x, target, steps, rate):
        w, best = torch.tensor(1., requires_grad=True), (float("inf"), None)
        for _ in range(steps):
            loss = ((w * x - target) ** 2).mean()
            best = min(best, (loss.item(), w.item()))
            step, = torch.autograd.grad(loss, w)
            w = (w - rate * step).detach().requires_grad_()
        return best[1]

    assert first_wrong(asked, numbers, None) is None
    assert "returned w itself" in first_wrong(asked, searching(lambda w: w), None)
    for broken in (3, int, lambda: 1, lambda x, target, steps, rate: target):
        kind, _, says, *_ = judged(asked, broken)
        assert kind == NOT_YET and says


def test_8b_stops_a_loop_that_never_ends(monkeypatch):
    def endless(x, target, steps, rate):
        while True:
            steps += 1

    monkeypatch.setattr("minigrad.book.classroom.judging.SECONDS", 0.1)
    asked = next(one for one in of(8).EXERCISES if one.id == "8b")
    assert "never ends?" in first_wrong(asked, endless, None)
