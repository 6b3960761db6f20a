"""Products and sums that a formula names: ``torch.einsum("ij,jk->ik", a, b)``.

Every operand is brought to one order of dimensions, those of the result first, with
size 1 where it lacks one.  Then pair after pair is multiplied: as matrices where
letters are summed over, element by element where not.  A letter labels a dimension;
the dimensions under ``...`` are labelled with numbers, counted from the last.
"""
import math

from ..ops.declaring import expect_tensors
from .batches import bmm

# The letters of a result that is not spelled out are in this order.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(equation, *operands):
    """Return the operands' products, summed over letters that the result doesn't name.

    ``...`` stands for dimensions that broadcast; without ``->`` the result has the
    letters that occur once, in alphabetical order.

        torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 1))
        # tensor([[3.], [3.]])

    Raises RuntimeError for an equation that does not fit the operands.
    """
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    for operand in operands:
        expect_tensors("einsum", operands=operand)
    check_letters(equation)
    left, arrow, right = equation.replace(" ", "").partition("->")
    subscripts = left.split(",")
    if len(subscripts) != len(operands):
        word = "more" if len(subscripts) < len(operands) else "fewer"
        raise RuntimeError(
            f"einsum(): {word} operands were provided than specified in the equation")
    labels = [
        labels_of(subscript, x._array.ndim, i)
        for i, (subscript, x) in enumerate(zip(subscripts, operands))]
    check_sizes(labels, operands)
    result, order = order_of(labels, right if arrow else None)
    aligned = [align(x, each, order) for x, each in zip(operands, labels)]
    return multiply_all(aligned, len(result))


def check_letters(equation):
    rest = equation.replace("...", "   ").replace("->", "  ")
    for index, sign in enumerate(rest):
        if sign not in LETTERS and sign not in " ,":
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {index} in the equation "
                "string, subscripts must be in [a-zA-Z]")


def labels_of(subscript, ndim, number):
    """Return the label of each dimension of an operand with this number."""
    before, dots, after = subscript.partition("...")
    named = len(before) + len(after)
    start = f"einsum(): the number of subscripts in the equation ({named}) "
    if dots and named > ndim:
        raise RuntimeError(
            f"{start}is more than the number of dimensions ({ndim}) for operand "
            f"{number}")
    if not dots and named != ndim:
        raise RuntimeError(
            f"{start}does not match the number of dimensions ({ndim}) for operand "
            f"{number} and no ellipsis was given")
    return [*before, *reversed(range(ndim - named)), *after]


def order_of(labels, right):
    """Return the labels of the result, and all labels in the order of the computation.

    right: what the equation has on the right of ``->``, or None.
    """
    found = [label for each in labels for label in each]
    dots = sorted({label for label in found if isinstance(label, int)}, reverse=True)
    if right is None:
        result = dots + [letter for letter in LETTERS if found.count(letter) == 1]
    else:
        before, has_dots, after = right.partition("...")
        check_result(before + after, right, found)
        result = [*before, *(dots if has_dots else ()), *after]
    summed = [
        label for label in (*dots, *LETTERS)
        if label in found and label not in result]
    return result, result + summed


def check_result(letters, right, found):
    for letter in letters:
        fault = None
        if right.count(letter) > 1:
            fault = "appears more than once in the output"
        elif letter not in found:
            fault = "does not appear in the equation for any input operand"
        if fault is not None:
            raise RuntimeError(f"einsum(): output subscript {letter} {fault}")


def check_sizes(labels, operands):
    """Raise unless all dimensions with one label have one size, or size 1."""
    seen = {}
    for number, (each, x) in enumerate(zip(labels, operands)):
        sizes = dict(zip(each, x._array.shape))
        for label, size in sizes.items():
            known = seen.get(label, 1)
            if known != 1 and size not in (1, known):
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {number} "
                    f"which does not broadcast with previously seen size {known}")
            seen[label] = known if size == 1 else size


def align(x, labels, order):
    """Return an operand with all dimensions in `order`, some of size 1."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            x, labels = take_diagonal(x, labels, label)
    for _ in range(len(order) - len(labels)):
        x = x.unsqueeze(-1)
    labels = labels + [label for label in order if label not in labels]
    return x.permute(tuple([labels.index(label) for label in order]))


def take_diagonal(x, labels, label):
    """Return an operand in which two dimensions with one label have become one."""
    first = labels.index(label)
    second = labels.index(label, first + 1)
    sizes = x._array.shape
    if sizes[first] != sizes[second]:
        raise RuntimeError(
            f"einsum(): subscript {label} is repeated for operand 0 but the sizes "
            f"don't match, {sizes[second]} != {sizes[first]}")
    x = x.diagonal(0, first, second)            # which comes last
    last = len(sizes) - 2
    others = list(range(last))
    x = x.permute((*others[:first], last, *others[first:]))
    return x, labels[:second] + labels[second + 1:]


def multiply_all(operands, kept):
    """Multiply pair after pair; the first `kept` dimensions are those of the result.

    A dimension is summed over as soon as no later operand has it.
    """
    result, *others = operands
    ndim = result._array.ndim
    if not others:
        dims = tuple(range(kept, ndim))
        return result.sum(dims, False) if dims else result
    for number, x in enumerate(others, 2):
        later = operands[number:]
        in_result = wide_dims(result)
        in_x = wide_dims(x)
        in_later = {dim for y in later for dim in wide_dims(y)}
        ending = [dim for dim in range(kept, ndim) if dim not in in_later]
        both = [dim for dim in ending if dim in in_result and dim in in_x]
        only_result = [dim for dim in ending if dim in in_result and dim not in in_x]
        only_x = [dim for dim in ending if dim in in_x and dim not in in_result]
        if only_result:
            result = result.sum(tuple(only_result), True)
        if only_x:
            x = x.sum(tuple(only_x), True)
        result = multiply_pair(result, x, both)
    if ndim > kept:
        return result.view(result._array.shape[:kept])
    return result


def wide_dims(x):
    """Return the dimensions of an aligned operand whose size is not 1."""
    return [dim for dim, size in enumerate(x._array.shape) if size != 1]


def multiply_pair(left, right, summed):
    """Return the product of two operands; the dimensions `summed` get size 1."""
    if not summed:
        return left * right
    in_left, in_right = wide_dims(left), wide_dims(right)
    ndim = left._array.ndim
    rest = [dim for dim in range(ndim) if dim not in summed]
    both = [dim for dim in rest if dim in in_left and dim in in_right]
    only_left = [dim for dim in rest if dim in in_left and dim not in in_right]
    only_right = [dim for dim in rest if dim not in in_left]
    if only_left and only_right and only_right[-1] < only_left[0]:
        # The other way round the result has its dimensions in order.
        left, right = right, left
        only_left, only_right = only_right, only_left

    def size_of(x, dims):
        return math.prod([x._array.shape[dim] for dim in dims])

    batch, inner = size_of(left, both), size_of(left, summed)
    rows, columns = size_of(left, only_left), size_of(right, only_right)
    sizes = [left._array.shape[dim] for dim in both + only_left]
    sizes += [1] * len(summed)
    sizes += [right._array.shape[dim] for dim in only_right]
    left = left.permute((*both, *only_left, *summed, *only_right))
    right = right.permute((*both, *summed, *only_right, *only_left))
    product = bmm(
        left.reshape((batch, rows, inner)), right.reshape((batch, inner, columns)))
    order = [*both, *only_left, *summed, *only_right]
    return product.view(sizes).permute(sorted(range(ndim), key=order.__getitem__))


FUNCTIONS_ONLY = "einsum"
