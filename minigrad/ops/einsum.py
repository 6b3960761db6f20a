"""Products written with letters: ``einsum("ij,jk->ik", a, b)``.

Every operand is brought to one order of dimensions, those of the result first, with size 1 where it lacks
one.  Then pair after pair is multiplied: as matrices where letters are summed over, element by element where
not.
"""
from __future__ import annotations

import math

from ..arguments import explain
from ..tensor import Tensor
from . import axes, linalg, shape
from .reduction import _sum_dim

# The order of letters in a result that is not spelled out.
ORDER = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(*args):
    """``einsum(equation, *operands)``: the products of the operands, summed over the letters that the result
    does not name.

    ``...`` stands for dimensions that broadcast; without ``->`` the result has the letters that occur once,
    in order.

    Raises:
        RuntimeError: letters and dimensions do not fit.
    """
    equation, *operands = args or (None,)
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    if not operands:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least "
                         "one operand and its subscripts list")
    if not isinstance(equation, str) or not all([isinstance(x, Tensor) for x in operands]):
        raise explain("_VF.einsum", (equation, operands), {})
    check_letters(equation)
    left, arrow, right = equation.replace(" ", "").partition("->")
    subscripts = left.split(",")
    if len(subscripts) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    if len(subscripts) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    covered = max([x._array.ndim - len(s.replace("...", "")) if "..." in s else 0
                   for s, x in zip(subscripts, operands)])
    labels = [labels_of(s, x, i) for i, (s, x) in enumerate(zip(subscripts, operands))]
    flat = [label for each in labels for label in each]
    dots = list(reversed(range(covered)))       # the dimensions under the ..., numbered from the right
    if arrow:
        result = result_labels(right, dots, flat)
    else:
        result = dots + [c for c in ORDER if flat.count(c) == 1]
    sum_over = [d for d in dots if d not in result] + [c for c in ORDER if c in flat and c not in result]
    order = result + sum_over
    check_sizes(labels, operands)
    aligned = [align(x, each, order) for x, each in zip(operands, labels)]
    return multiply_all(aligned, len(result))


def check_letters(equation):
    plain = equation.replace("...", "   ").replace("->", "  ")
    for i, c in enumerate(plain):
        if c not in ORDER + " ,":
            raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, "
                               "subscripts must be in [a-zA-Z]")


def labels_of(subscript, x, i):
    """The label of each dimension of an operand: a letter, or a number for one under the ``...``."""
    before, dots, after = subscript.partition("...")
    ndim, named = x._array.ndim, len(before) + len(after)
    if dots and named > ndim:
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) is more than the "
                           f"number of dimensions ({ndim}) for operand {i}")
    if not dots and named != ndim:
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) does not match the "
                           f"number of dimensions ({ndim}) for operand {i} and no ellipsis was given")
    count = ndim - named
    return [*before, *reversed(range(count)), *after]


def result_labels(right, dots, flat):
    before, found, after = right.partition("...")
    for c in before + after:
        if right.count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in flat:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any "
                               "input operand")
    return [*before, *(dots if found else ()), *after]


def check_sizes(labels, operands):
    seen = {}
    for i, (each, x) in enumerate(zip(labels, operands)):
        for label, n in zip(each, x._array.shape):
            if seen.get(label, 1) != 1 and n not in (1, seen[label]):
                raise RuntimeError(f"einsum(): subscript {label} has size {n} for operand {i} which does not "
                                   f"broadcast with previously seen size {seen[label]}")
            seen[label] = n if n != 1 else seen.get(label, 1)


def align(x, labels, order):
    """One operand with its dimensions in `order`; a label that occurs twice is taken along the diagonal."""
    labels = list(labels)
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if x._array.shape[first] != x._array.shape[second]:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand 0 but the sizes don't match, "
                    f"{x._array.shape[second]} != {x._array.shape[first]}")
            x = axes.movedim(slicing.diagonal(x, 0, first, second), -1, first)
            del labels[second]
    for _ in range(len(order) - len(labels)):
        x = shape.unsqueeze(x, -1)
    missing = iter(range(len(labels), len(order)))
    places = [labels.index(label) if label in labels else next(missing) for label in order]
    return axes._permute(x, tuple(places))


def multiply_all(operands, kept):
    """Multiply pair after pair, summing over a dimension as soon as no later operand has it."""
    ndim = operands[0]._array.ndim
    result, *others = operands
    if not others:
        return _sum_dim(result, tuple(range(kept, ndim)), False) if ndim > kept else result
    holders = [sum([x._array.shape[d] != 1 for x in operands]) for d in range(ndim)]
    for x in others:
        together, mine, its = [], [], []
        for d in range(kept, ndim):
            a, b = result._array.shape[d] != 1, x._array.shape[d] != 1
            if a and b:
                holders[d] -= 1
                if holders[d] == 1:
                    together.append(d)
                    holders[d] = 0
            elif holders[d] == 1 and (a or b):
                (mine if a else its).append(d)
                holders[d] = 0
        if mine:
            result = _sum_dim(result, tuple(mine), True)
        if its:
            x = _sum_dim(x, tuple(its), True)
        result = multiply_pair(result, x, together)
    return shape._view(result, result._array.shape[:kept]) if ndim > kept else result


def multiply_pair(left, right, summed):
    """The product of two aligned operands, added up over the dimensions `summed`, which become size 1."""
    if not summed:
        return left * right
    a, b = left._array.shape, right._array.shape
    rest = [d for d in range(len(a)) if d not in summed]
    both = [d for d in rest if a[d] != 1 and b[d] != 1]
    only_left = [d for d in rest if a[d] != 1 and b[d] == 1]
    only_right = [d for d in rest if a[d] == 1]
    if only_left and only_right and only_right[-1] < only_left[0]:     # so the result lies in memory in order
        left, right, a, b, only_left, only_right = right, left, b, a, only_right, only_left
    batch, rows = math.prod([a[d] for d in both]), math.prod([a[d] for d in only_left])
    inner, columns = math.prod([a[d] for d in summed]), math.prod([b[d] for d in only_right])
    left = axes._permute(left, (*both, *only_left, *summed, *only_right))
    right = axes._permute(right, (*both, *summed, *only_right, *only_left))
    result = linalg.bmm(shape._reshape(left, (batch, rows, inner)),
                        shape._reshape(right, (batch, inner, columns)))
    order = [*both, *only_left, *summed, *only_right]
    sizes = [*[a[d] for d in both + only_left], *[1] * len(summed), *[b[d] for d in only_right]]
    places = [0] * len(order)
    for i, d in enumerate(order):
        places[d] = i
    return axes._permute(shape._view(result, tuple(sizes)), tuple(places))


FUNCTIONS_ONLY = "einsum"

from . import slicing  # noqa: E402
