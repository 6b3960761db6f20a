"""Chapter 7: its rules on random programs, its lab and its picture, and what its exercises say."""
import contextlib
import random
import re
import threading
from xml.etree import ElementTree

import pytest

import minigrad as torch
from minigrad.book import draw_layers
from minigrad.book.classroom.judging import judge
from minigrad.book.classroom.labs.ways import FULL, MORE, WAYS, answers, run
from minigrad.book.content.chapters import exercise
from minigrad.book.content.chapters.ch07 import nine_points
from minigrad.book.content.chapters.ch07 import table as table_of_7a
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(7)


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


OPERATIONS = [lambda t: t * t, lambda t: t + 3, lambda t: t.exp(), lambda t: t.sin(), lambda t: t / 2,
              lambda t: t ** 2, lambda t: t.reshape(-1), lambda t: t.tanh()]


def after_some_operations(t, rng):
    for _ in range(rng.randint(1, 4)):
        t = rng.choice(OPERATIONS)(t)
    return t


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("A pass that reaches a leaf through a line adds to its `.grad` only if the flag was on when "
              "the line ran, and is on when the gradient arrives.")
def test_rule_a_flag_is_read_when_a_line_uses_the_leaf_and_when_a_gradient_reaches_it(seed):
    rng = random.Random(seed)
    x, other = leaf(0.3, 0.5), leaf(0.2, 0.4)
    first, between, second = (rng.random() < 0.5 for _ in range(3))
    x.requires_grad_(first)
    y = after_some_operations(x, rng) + other
    x.requires_grad_(between)  # what it is in between doesn't matter
    x.requires_grad_(second)
    y.sum().backward()
    assert (x.grad is not None) == (first and second) and other.grad is not None


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("`y.detach()` shares its memory with `y`, and no gradient passes through it back to `y`.")
def test_rule_detach_shares_memory_and_lets_no_gradient_back(seed):
    rng = random.Random(seed)
    x, other = leaf(0.3, 0.5), leaf(0.2, 0.4)
    y = after_some_operations(x, rng)
    d = y.detach()
    assert d.data_ptr() == y.data_ptr() and d.tolist() == y.tolist() and d.grad_fn is None
    (after_some_operations(d, rng) * other).sum().backward()
    assert x.grad is None and other.grad is not None
    d.requires_grad_()
    after_some_operations(d, rng).sum().backward()
    assert x.grad is None and d.grad is not None


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("A gradient can pass through a frozen layer to the layers before it, but never through "
              "`detach`.")
def test_rule_a_gradient_passes_a_frozen_layer_and_no_detach(seed):
    rng = random.Random(seed)
    count = rng.randint(3, 6)
    layers = [torch.nn.Linear(2, 2) for _ in range(count)]
    frozen = set(rng.sample(range(count), rng.randint(1, count - 1)))
    detached = rng.choice([None, *range(count - 1)])
    h = torch.ones(1, 2)
    for number, layer in enumerate(layers):
        layer.requires_grad_(number not in frozen)
        h = layer(h).detach() if number == detached else layer(h)
    if h.requires_grad:
        h.sum().backward()
    after = -1 if detached is None else detached
    assert [layer.weight.grad is not None for layer in layers] == [
        number > after and number not in frozen for number in range(count)]


@pytest.mark.parametrize("seed", range(30))
@CHAPTER.says("An operation is recorded only if, when its line runs, recording is on and an input requires a "
              "gradient.")
def test_rule_both_conditions_are_needed_when_the_line_runs(seed):
    """Blocks in blocks, and flags that change before and after the line."""
    rng = random.Random(seed)
    inputs, on = [torch.tensor([0.3, 0.5]) for _ in range(3)], True
    with contextlib.ExitStack() as blocks:
        for _ in range(rng.randint(0, 3)):
            on = rng.random() < 0.5
            plain = torch.enable_grad if on else torch.no_grad
            blocks.enter_context(plain() if rng.random() < 0.5 else torch.set_grad_enabled(on))
        for one in inputs:
            one.requires_grad_(rng.random() < 0.5)
            one.requires_grad_(rng.random() < 0.4)      # what it was before doesn't matter
        needed = any(one.requires_grad for one in inputs)
        result = torch.stack(inputs)
        assert torch.is_grad_enabled() == on
    for one in inputs:
        one.requires_grad_(rng.random() < 0.5)          # nor what it becomes
    assert (result.grad_fn is not None) == result.requires_grad == (on and needed)


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("Nothing, unless something in the block switches recording on again, such as "
              "`torch.enable_grad()`, a backward pass with `create_graph=True` (chapter 13), or a new "
              "thread.")
def test_rule_nothing_is_recorded_under_no_grad_and_no_flag_changes(seed):
    rng = random.Random(seed)
    x, fixed = leaf(0.3, 0.5), torch.ones(2)
    y = x * 2
    node = y.grad_fn
    with torch.no_grad():
        results = [after_some_operations(rng.choice([x, y, fixed]), rng) for _ in range(5)]
        made = leaf(1.)  # a leaf is made, not recorded
        fixed.add_(x)
    for result in results:
        assert result.grad_fn is None  # although a view's flag is that of its base
        (result * made).sum().backward()
    assert x.grad is None and made.grad is not None
    assert (x.requires_grad, y.requires_grad, fixed.requires_grad, made.requires_grad) == (
        True, True, False, True) and y.grad_fn is node


def test_three_ways_to_record_in_a_no_grad_block():
    x, found = leaf(2.), []
    y = (x ** 3).sum()
    with torch.no_grad():
        with torch.enable_grad():
            found.append(x * 2)
        found.extend(torch.autograd.grad(y, [x], create_graph=True))
        thread = threading.Thread(target=lambda: found.append(x * 2))
        thread.start()
        thread.join()
    assert [one.requires_grad for one in found] == [True] * 3


READ = [lambda s, x: s + x, lambda s, x: x - s, lambda s, x: torch.cat([x, s]), lambda s, x: x.add(s)]
SAVE = [lambda s, x: s * x, lambda s, x: x / s, lambda s, x: x @ s, lambda s, x: s @ x]


@pytest.mark.parametrize("program", READ + SAVE)
@CHAPTER.says("is then an **inference tensor**, which no node can save",
              "the gradient of `x` needs `sealed`, which can't be saved")
def test_rule_an_inference_tensor_is_read_but_not_saved(program):
    x = leaf(0.3, 0.5)
    with torch.inference_mode():
        sealed = x * 2
    if program in SAVE:
        with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
            program(sealed, x)
        program(sealed.clone(), x).sum().backward()  # what the chapter's table advises
    else:
        program(sealed, x).sum().backward()
    assert x.grad is not None


# --- the table ----------------------------------------------------------------------------------------------

@CHAPTER.says("`eval()` matches full recording, `set_grad_enabled(False)` matches `no_grad`, and `.data` "
              "matches `detach`.")
def test_the_rows_of_the_lab_differ_and_three_more_ways_repeat_one():
    rows = {way: tuple(answers(way).values()) for way in (*WAYS, *MORE)}
    assert len({rows[way] for way in WAYS}) == len(WAYS)
    for way, row in ("eval()", FULL), ("set_grad_enabled(False)", "no_grad"), (".data", "detach"):
        assert rows[way] == rows[row]


@pytest.mark.parametrize("way", [*WAYS, *MORE])
def test_a_picture_of_the_lab_fits_the_page(way):
    assert float(re.search(r'width="([\d.]+)pt"', run(way)["picture"].svg)[1]) * 4 / 3 <= 715


@pytest.mark.parametrize(("row", "says"), [
    ([True, False, False], 'In the row no_grad, the answer to "recorded?" is not right.'),
    ([False, True, False], 'In the row no_grad, the answer to "upstream gradient?" is not right.'),
    ([False, None, True], 'In the row no_grad, the answer to "gradient of m?" is not right.'),
    ([False, None, None], "Still missing: the row no_grad.")])
def test_an_answer_to_7a_is_told_which_column_is_wrong(row, says):
    said = " ".join(judge(exercise("7a"), {**table_of_7a(), "no_grad": row}, None).says)
    assert says in said.replace("`", "")


# --- the picture of the layers ------------------------------------------------------------------------------

def after_a_pass(detached=None, frozen=()):
    layers = [torch.nn.Linear(2, 2) for _ in range(4)]
    h = torch.ones(1, 2)
    for number, layer in enumerate(layers, 1):
        layer.requires_grad_(number not in frozen)
        h = layer(h).detach() if number == detached else layer(h)
    h.sum().backward()
    return layers


def test_the_picture_shows_a_cut_and_a_frozen_layer_and_fits_the_page():
    picture = draw_layers({"detached": after_a_pass(detached=2), "frozen": after_a_pass(frozen=[3])})
    assert repr(picture).splitlines()[1:] == [
        "detached:", "  layer 4: a gradient", "  layer 3: a gradient", "  cut: the gradient stops here",
        "  layer 2: None", "  layer 1: None",
        "frozen:", "  layer 4: a gradient", "  layer 3 (frozen): None", "  layer 2: a gradient",
        "  layer 1: a gradient"]
    ElementTree.fromstring(picture.svg)
    assert float(re.search(r'width="(\d+)pt"', picture.svg)[1]) * 4 / 3 <= 715
    with pytest.raises(ValueError, match="call backward"):
        draw_layers({"model": [torch.nn.Linear(2, 2)]})


@pytest.mark.parametrize(("detached", "frozen", "cut"), [
    (None, [1], False), (1, [3], True), (2, [1, 2], False), (3, [1], True), (None, [], False)])
def test_a_cut_is_drawn_where_a_layer_that_is_not_frozen_got_nothing(detached, frozen, cut):
    assert ("cut" in repr(draw_layers({"model": after_a_pass(detached, frozen)}))) == cut


# --- 7b -----------------------------------------------------------------------------------------------------

def losses_without_mean(w, b):
    x, target = nine_points()
    return (w * x + b - target) ** 2


@pytest.mark.parametrize(("answer", "says"), [
    (torch.nn.Linear, "Linear can't be called with w and b, two tensors of one number."),
    (max, "At w = 1 and b = 0, your loss is 1."),   # it has no signature
    (print, "it returned None"),
    (losses_without_mean, "one number, the loss; it returned a tensor of shape (9,)")])
def test_a_function_that_returns_no_loss_is_answered_in_words(answer, says):
    assert says in " ".join(judge(exercise("7b"), answer, None).says).replace("`", "")
