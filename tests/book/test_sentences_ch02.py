"""Chapter 2: the sentences that reviews found false, each with the program that refutes it, and its rules."""
import random
import warnings

import pytest

import minigrad as torch
from minigrad.book import points
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(2)


def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)


def zeros_in_the_drawer():
    """Once a pass brought zero, once the program wrote zeros."""
    flat, written = leaf(4.), leaf(4.)
    (flat * 0).sum().backward()
    (written * 5).sum().backward()
    written.grad.zero_()
    return flat.grad.tolist(), written.grad.tolist()


def asked_and_still_none():
    u = leaf(4.)
    (u.detach() * leaf(5.)).sum().backward()
    return u.grad


def a_loss_was_a_leaf_all_along():
    loss = torch.tensor([4., 5., 9.]).sum()
    before = loss.is_leaf
    loss.requires_grad_().backward()
    return before, loss.is_leaf, loss.grad.item()


def a_result_with_a_drawer():
    c = leaf(4.) * 2
    c.retain_grad()
    c.sum().backward()
    return c.is_leaf, c.grad.tolist()


def an_unrecorded_result_with_a_drawer():
    w = (torch.tensor([4., 6.]) * 2).requires_grad_()
    (w * 5).sum().backward()
    return w.is_leaf, w.grad.tolist()


def a_result_named_as_an_input():
    c = leaf(4.) * 2
    c.sum().backward(inputs=[c])
    return c.is_leaf, c.grad.tolist()


def zeroed_before_the_first_pass():
    """Of the three ways to empty a drawer, those that call a method fail where there is no gradient yet."""
    found = []
    for way in WAYS:
        try:
            exec(way, {"w": leaf(4.)})
        except AttributeError as error:
            found.append(type(error).__name__)
        else:
            found.append("works")
    return found


def a_pass_with_named_inputs_leaves_the_leaf_alone():
    a = leaf(4.)
    c = a * 2
    c.sum().backward(inputs=[c])
    return a.grad


def gradient_of_w_moves_the_loss():
    """w.grad is about the loss: two losses of one w have different gradients."""
    w, found = leaf(3.), []
    for factor in (2., 7.):
        w.grad = None
        (w * factor).sum().backward()
        found += w.grad.tolist()
    return found


def additions_to_the_drawer_in_one_pass():
    """A weight that is used twice: the sum is complete before it is added to .grad, once."""
    w, additions = leaf(5.), []
    w.register_post_accumulate_grad_hook(lambda at: additions.append(at.grad.tolist()))
    (w * 2 + w * 3).sum().backward()
    return additions


def kept_on_the_way_and_still_right():
    w = leaf(5.)
    middle = w + 0.5
    middle.retain_grad()
    loss = (middle + 4).sum()
    for _ in range(3):
        loss.backward()
    return w.grad.tolist(), middle.grad.tolist()


def the_cell_run_again(**options):
    v = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    value = (v ** 2).mean()
    value.backward(**options)
    try:
        for _ in range(2):
            value.backward(**options)
    except RuntimeError as error:
        return str(error)[:44]
    return v.grad.tolist()


def brought_and_not_stored():
    t, brought = leaf(4.) * 6, []
    t.register_hook(lambda gradient: brought.append(gradient.tolist()))
    t.sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the .grad of a tensor that is no leaf
        return brought, t.grad


def two_steps(empty, count=2):
    """The weights after some steps on the nine points, and the last loss, with the drawers emptied or not."""
    x, target = map(torch.tensor, points())
    w, b = torch.tensor(1., requires_grad=True), torch.tensor(0., requires_grad=True)
    losses = []
    for _ in range(count + 1):
        if empty:
            w.grad = b.grad = None
        loss = ((w * x + b - target) ** 2).mean()
        losses.append(round(loss.item(), 4))
        loss.backward()
        before = round(w.item(), 2), round(b.item(), 2)
        with torch.no_grad():
            w -= 0.5 * w.grad
            b -= 0.5 * b.grad
    return before, losses


def a_gradient_without_a_flag():
    """A gradient arrives at the AccumulateGrad of a leaf whose flag is off by then: it isn't stored."""
    x = leaf(3.)
    y, arrived = (x * x).sum(), []
    accumulate = y.grad_fn.next_functions[0][0].next_functions[0][0]
    accumulate.register_prehook(lambda gradients: arrived.append(gradients[0].tolist()))
    x.requires_grad_(False)
    y.backward()
    return arrived, x.grad


FALSE = {
    "zeros in a drawer say that a gradient of zero arrived": (zeros_in_the_drawer, ([0.], [0.])),
    "after a pass, None says that nobody asked": (asked_and_still_none, None),
    "requires_grad on a loss makes it a leaf": (a_loss_was_a_leaf_all_along, (True, True, 1.)),
    "the result of an operation never keeps a gradient": (a_result_with_a_drawer, (False, [1.])),
    "a tensor that an operation made keeps no gradient, recorded or not": (
        an_unrecorded_result_with_a_drawer, (True, [5., 5.])),
    "only retain_grad() makes a result keep its gradient": (a_result_named_as_an_input, (False, [1.])),
    "All three are right for your loop": (
        zeroed_before_the_first_pass, ["works", "AttributeError", "AttributeError"]),
    "before the pass, or name the tensors in the pass": (
        a_pass_with_named_inputs_leaves_the_leaf_alone, None),
    "w.grad is a gradient of w alone": (gradient_of_w_moves_the_loss, [2., 7.]),
    "passes add because a weight may be used in several places": (
        additions_to_the_drawer_in_one_pass, [[5.]]),
    "an engine that keeps every gradient gives wrong ones": (kept_on_the_way_and_still_right, ([3.], [3.])),
    "the note's cell, run again, would print three times the gradient without retain_graph": (
        the_cell_run_again, "Trying to backward through the graph a secon"),
    "the note prints v / 2": (lambda: the_cell_run_again(retain_graph=True), [[1.5, 3.], [4.5, 6.]]),
    "where .grad is None, no pass brought a gradient": (brought_and_not_stored, ([[1.]], None)),
    "no gradient has arrived": (a_gradient_without_a_flag, ([[6.]], None)),
    "the second step makes the loss worse": (
        lambda: two_steps(False, 3), ((4.33, 1.), [1.8522, 0.5534, 0.2717, 1.051])),
    "with empty drawers, the second step moves b": (
        lambda: two_steps(True, 5), ((2.82, 0.5), [1.8522, 0.5534, 0.1965, 0.0751, 0.0337, 0.0197])),
}


@pytest.mark.parametrize("sentence", FALSE)
def test_a_false_sentence_is_refuted(sentence):
    assert sentence not in CHAPTER
    program, prints = FALSE[sentence]
    assert program() == prints


# --- the rules: random programs that try to break them ------------------------------------------------------

def random_program(rng):
    """All tensors of a small program, and some of them to start a pass from; nothing is freed by a pass."""
    tensors = [torch.tensor(float(rng.randint(1, 9)), requires_grad=rng.random() < 0.7) for _ in range(4)]
    for _ in range(8):
        one, other = rng.sample(tensors, 2)
        tensors.append(rng.choice((one + other, one - other, one.detach() + 1., one * 0.)))
    return tensors, [one for one in tensors[4:] if one.requires_grad]


def gradients(result, tensors):
    """The gradient of a result with respect to each tensor, by autograd.grad: no drawer is used."""
    asked = [one for one in tensors if one.requires_grad]
    found = iter(torch.autograd.grad(result, asked, retain_graph=True, allow_unused=True))
    return [next(found) if one.requires_grad else None for one in tensors]


def in_drawers(tensors):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the .grad of a tensor that is no leaf
        return [None if one.grad is None else one.grad.item() for one in tensors]


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("If a drawer holds `None`, no gradient has been stored in it since it was made or emptied, "
              "not even zero.",
              "**Gradient accumulation:** `backward()` adds each gradient that it stores to what the "
              "tensor's `.grad` already holds.",
              "Unless you ask for more, `backward()` stores gradients only in leaves that require one.")
def test_who_keeps_a_gradient_and_that_passes_add(seed):
    """None until one arrives, even zero; then the sum of all; in leaves and retained results alone."""
    rng = random.Random(seed)
    tensors, results = random_program(rng)
    arriving = [gradients(result, tensors) for result in results]  # before retain_grad(), which would see it
    keeps = [one.requires_grad and one.is_leaf for one in tensors]
    for at in range(4, len(tensors)):
        if tensors[at].requires_grad and rng.random() < 0.2:
            tensors[at].retain_grad()
            keeps[at] = True
    wanted = [None] * len(tensors)
    for _ in range(4 if results else 0):
        if rng.random() < 0.3:
            at = rng.randrange(4)
            tensors[at].grad = wanted[at] = None
        chosen = rng.randrange(len(results))
        for at, arrived in enumerate(arriving[chosen]):
            if keeps[at] and arrived is not None:
                wanted[at] = (wanted[at] or 0.) + arrived.item()
        results[chosen].backward(retain_graph=True)
        assert in_drawers(tensors) == wanted


WAYS = {  # a way to empty a drawer: (what a list holds then, what a later result gives)
    "w.grad = None": ([-3., -3.], 2. * -3.),
    "w.grad.zero_()": ([0., 0.], "modified by an inplace operation"),
    "w.grad.data.zero_()": ([0., 0.], 0.),
}


@pytest.mark.parametrize("way", WAYS)
@CHAPTER.says("`x.grad = None` empties the drawer; `x.grad.zero_()` overwrites the tensor in it.")
def test_three_ways_to_empty_a_drawer(way):
    w, scale = leaf(4., 6.), torch.tensor(10., requires_grad=True)
    (w * -3).sum().backward()
    kept = [w.grad]
    result = (scale * w.grad).sum()
    exec(way, {"w": w})
    held, later = WAYS[way]
    assert kept[0].tolist() == held
    assert w.grad is None or w.grad.tolist() == [0., 0.]
    if isinstance(later, str):
        with pytest.raises(RuntimeError, match=later):
            result.backward()
    else:
        result.backward()
        assert scale.grad.item() == later
    (w * -3).sum().backward()
    assert w.grad.tolist() == [-3., -3.]
