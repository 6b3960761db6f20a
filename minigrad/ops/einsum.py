"""Products written with letters: ``einsum("ij,jk->ik", a, b)``.

Every operand is brought to one order of dimensions, those of the result first, with size 1 where it lacks one.
Then pair after pair is multiplied: as matrices where letters are summed over, element by element where not.
"""
from __future__ import annotations

import math
from string import ascii_letters

from .expansion import _sum_dim
from .matmul import bmm
from .shape import _permute, _reshape, _unsqueeze, _view, inverse
from .slicing import _diagonal

ORDER = sorted(ascii_letters)       # the order of letters in a result that is not spelled out


def einsum(equation, *operands):
    """Return the products of the operands, summed over the letters that the result does not name.

    ``...`` stands for dimensions that broadcast; without ``->`` the result has the letters that occur once, in
    alphabetical order.

        torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 1))       # tensor([[3.], [3.]])

    Raises:
        RuntimeError: letters and dimensions do not fit.
    """
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    check_letters(equation)
    left, arrow, right = equation.replace(" ", "").partition("->")
    subscripts = left.split(",")
    if len(subscripts) != len(operands):
        fewer_or_more = "more" if len(subscripts) < len(operands) else "fewer"
        raise RuntimeError(f"einsum(): {fewer_or_more} operands were provided than specified in the equation")
    labels = [labels_of(subscript, x, i) for i, (subscript, x) in enumerate(zip(subscripts, operands))]
    flat = [label for each in labels for label in each]
    dots = sorted({label for label in flat if isinstance(label, int)}, reverse=True)
    result = result_labels(right, dots, flat) if arrow else dots + [c for c in ORDER if flat.count(c) == 1]
    order = result + [d for d in dots if d not in result] + [c for c in ORDER if c in flat and c not in result]
    check_sizes(labels, operands)
    return multiply_all([align(x, each, order) for x, each in zip(operands, labels)], len(result))


# --- the equation -------------------------------------------------------------------------------------------

def check_letters(equation):
    for i, c in enumerate(equation.replace("...", "   ").replace("->", "  ")):
        if c not in ORDER and c not in " ,":
            raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, "
                               "subscripts must be in [a-zA-Z]")


def labels_of(subscript, x, i):
    """Return the label of each dimension of an operand: a letter, or a number for one under the ``...``."""
    before, dots, after = subscript.partition("...")
    ndim, named = x._array.ndim, len(before) + len(after)
    if dots and named > ndim:
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) is more than the number "
                           f"of dimensions ({ndim}) for operand {i}")
    if not dots and named != ndim:
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) does not match the "
                           f"number of dimensions ({ndim}) for operand {i} and no ellipsis was given")
    return [*before, *reversed(range(ndim - named)), *after]


def result_labels(right, dots, flat):
    before, found, after = right.partition("...")
    for c in before + after:
        if right.count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in flat:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input "
                               "operand")
    return [*before, *(dots if found else ()), *after]


def check_sizes(labels, operands):
    seen = {}
    for i, (each, x) in enumerate(zip(labels, operands)):
        for label, n in dict(zip(each, x._array.shape)).items():
            if seen.get(label, 1) != 1 and n not in (1, seen[label]):
                raise RuntimeError(f"einsum(): subscript {label} has size {n} for operand {i} which does not "
                                   f"broadcast with previously seen size {seen[label]}")
            seen[label] = n if n != 1 else seen.get(label, 1)


# --- the products -------------------------------------------------------------------------------------------

def align(x, labels, order):
    """Return an operand with its dimensions in `order`; a label that occurs twice is taken along the diagonal."""
    labels = list(labels)
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            sizes = x._array.shape
            if sizes[first] != sizes[second]:
                raise RuntimeError(f"einsum(): subscript {label} is repeated for operand 0 but the sizes don't "
                                   f"match, {sizes[second]} != {sizes[first]}")
            x, rest = _diagonal(x, 0, first, second), list(range(len(sizes) - 2))
            x = _permute(x, (*rest[:first], len(rest), *rest[first:]))
            del labels[second]
    for _ in range(len(order) - len(labels)):
        x = _unsqueeze(x, -1)
    missing = iter(range(len(labels), len(order)))
    return _permute(x, tuple([labels.index(label) if label in labels else next(missing) for label in order]))


def multiply_all(operands, kept):
    """Multiply pair after pair, summing over a dimension as soon as no later operand has it."""
    ndim = operands[0]._array.ndim
    result, *others = operands
    if not others:
        return _sum_dim(result, tuple(range(kept, ndim)), False) if ndim > kept else result
    for number, x in enumerate(others, 2):
        both, only_result, only_x = [], [], []
        for d in range(kept, ndim):
            in_result, in_x = result._array.shape[d] != 1, x._array.shape[d] != 1
            if (in_result or in_x) and all([y._array.shape[d] == 1 for y in operands[number:]]):
                (both if in_result and in_x else only_result if in_result else only_x).append(d)
        if only_result:
            result = _sum_dim(result, tuple(only_result), True)
        if only_x:
            x = _sum_dim(x, tuple(only_x), True)
        result = multiply_pair(result, x, both)
    return _view(result, result._array.shape[:kept]) if ndim > kept else result


def multiply_pair(left, right, summed):
    """Return the product of two aligned operands; the dimensions `summed` become size 1."""
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
    left = _permute(left, (*both, *only_left, *summed, *only_right))
    right = _permute(right, (*both, *summed, *only_right, *only_left))
    result = bmm(_reshape(left, (batch, rows, inner)), _reshape(right, (batch, inner, columns)))
    sizes = [*[a[d] for d in both + only_left], *[1] * len(summed), *[b[d] for d in only_right]]
    return _permute(_view(result, tuple(sizes)), inverse([*both, *only_left, *summed, *only_right]))


FUNCTIONS_ONLY = "einsum"
