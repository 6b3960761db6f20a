"""Chapter 2: its rules, and random programs that try to break them."""
import random
import warnings

import pytest

import minigrad as torch
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(2)


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


@pytest.mark.parametrize(("way", "kept", "scaled"), [     # what a list and a later result have of a gradient
    ("w.grad = None", -3., -6.), ("w.grad.zero_()", 0., "modified by an inplace operation"),
    ("w.grad.data.zero_()", 0., 0.)])
@CHAPTER.says("`x.grad = None` empties the drawer; `x.grad.zero_()` overwrites the tensor in it.")
def test_three_ways_to_empty_a_drawer(way, kept, scaled):
    w, scale = torch.tensor([4., 6.], requires_grad=True), torch.tensor(10., requires_grad=True)
    (w * -3).sum().backward()
    old = w.grad
    result = (scale * w.grad).sum()
    exec(way, {"w": w})
    assert old.tolist() == [kept, kept] and (w.grad is None or w.grad.tolist() == [0., 0.])
    if isinstance(scaled, str):
        with pytest.raises(RuntimeError, match=scaled):
            result.backward()
    else:
        result.backward()
        assert scale.grad.item() == scaled
    (w * -3).sum().backward()
    assert w.grad.tolist() == [-3., -3.]
