"""Products of tensors with any number of dimensions: matmul (``@``), linear, einsum."""
import math

from ..autograd.operation import differentiable
from ..errors import common_shape
from ..tensor import Tensor, bump_version
from .products import _mm, addmm, bmm, check_mm, dot, mm, mv
from .shape import _squeeze_dim, _unsafe_view, unsqueeze_to

_only_row = differentiable("SqueezeBackward4", self=unsqueeze_to)(_squeeze_dim.operation.forward)


def matmul(self, other):
    """Return the product of two tensors, by their dimensions.

    Two vectors: their dot product.  A matrix and a vector, two matrices: their product.  With more
    dimensions, the last two are matrices, and the leading ones broadcast.

        torch.ones(5, 2, 3) @ torch.ones(3, 4)      # shape (5, 2, 4)
    """
    dims = self._array.ndim, other._array.ndim
    if dims == (2, 2):
        check_mm(self._array, other._array)
        return _mm(self, other)
    if dims == (2, 1):
        return mv(self, other)
    if dims == (1, 1):
        return dot(self, other)
    if 0 in dims:
        raise RuntimeError("both arguments to matmul need to be at least 1D, but they are "
                           f"{dims[0]}D and {dims[1]}D")
    if dims == (1, 2):
        row = _only_row(mm(self.unsqueeze(0), other), 0)
        bump_version(row)       # PyTorch squeezes the product in place
        return row
    return folded(self, other) if folds(self, other) else batched(self, other)


def matmul_operator(self, other):
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def folds(self, other):
    """Return whether a batch times a matrix or vector is computed as one tall matrix times it."""
    if self._array.ndim >= other._array.ndim:
        batch, smaller = self._array, other
    else:
        batch, smaller = other._array.swapaxes(-1, -2), self
    if batch.ndim < 3 or smaller._array.ndim > 2:
        return False
    if smaller.requires_grad:
        return True                 # copies, perhaps, but saves a gradient for every matrix
    if self._array.ndim == 2:
        return False
    steps = [stride * n for stride, n in zip(batch.strides[1:-1], batch.shape[1:-1])]
    return not batch.size or list(batch.strides[:-2]) == steps


def folded(self, other):
    turned = other._array.ndim > self._array.ndim
    if turned:      # matrix @ batch is the transpose of batch.T @ matrix.T
        self, other = other.transpose(-2, -1), self.t() if self._array.ndim == 2 else self
    *lead, columns = self._array.shape
    rows = self.reshape((math.prod(lead), columns))
    if other._array.ndim == 1:
        return _unsafe_view(mv(rows, other), tuple(lead))
    result = _unsafe_view(mm(rows, other), (*lead, other._array.shape[1]))
    return result.transpose(-2, -1).contiguous() if turned else result


def batched(self, other):
    a, b = self._array, other._array
    if a.ndim == b.ndim == 3 and len(a) != len(b):
        if len(a) == 1 and self.requires_grad:
            return matmul(self.squeeze(0), other)
        if len(b) == 1 and other.requires_grad:
            return matmul(self, other.squeeze(0))
    lead = common_shape(a.shape[:-2], b.shape[:-2])
    left = batch_of(self, lead, (1, *a.shape) if a.ndim == 1 else a.shape[-2:])
    right = batch_of(other, lead, b.shape[-2:])
    result = bmm(left, right.unsqueeze(2) if b.ndim == 1 else right)
    result = result.squeeze(-1) if b.ndim == 1 else result
    return _unsafe_view(result, (*lead, *a.shape[-2:-1], *b.shape[-2:][1:]))


def batch_of(x, lead, sizes):
    """Return a tensor broadcast to the leading dimensions `lead`, which are then run into one."""
    return x.expand(*lead, *sizes).reshape(math.prod(lead), *sizes)


def linear(input, weight, bias=None):
    """Return input @ weight.T + bias; `weight` has the shape (output features, input features)."""
    sizes, turned = input._array.shape, weight.t()
    if not sizes or not weight._array.ndim:
        raise RuntimeError("both arguments to linear need to be at least 1D, but they are "
                           f"{len(sizes)}D and {weight._array.ndim}D")
    if bias is None:
        return matmul(input, turned)
    if len(sizes) == 2:
        return addmm(bias, input, turned)
    if weight._array.ndim == 2 and input._array.flags.c_contiguous:
        rows = input.reshape((math.prod(sizes[:-1]), sizes[-1]))
        return addmm(bias, rows, turned).view(*sizes[:-1], len(weight._array))
    return matmul(input, turned).add_(bias)


# --- einsum -------------------------------------------------------------------------------------
# Every operand is brought to one order of dimensions, those of the result first, with size 1 where
# it lacks one.  Then pair after pair is multiplied: as matrices where letters are summed over,
# element by element where not.  The dimensions under ``...`` are labelled with numbers.

# The letters of a result that is not spelled out are in this order.
ORDER = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(equation, *operands):
    """Return the products of the operands, summed over the letters that the result does not name.

    ``...`` stands for dimensions that broadcast; without ``->`` the result has the letters that
    occur once, in alphabetical order.

        torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 1))       # tensor([[3.], [3.]])
    """
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    for i, c in enumerate(equation.replace("...", "   ").replace("->", "  ")):
        if c not in ORDER and c not in " ,":
            raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation "
                               "string, subscripts must be in [a-zA-Z]")
    left, arrow, right = equation.replace(" ", "").partition("->")
    subscripts = left.split(",")
    if len(subscripts) != len(operands):
        raise RuntimeError(f"einsum(): {'more' if len(subscripts) < len(operands) else 'fewer'} "
                           "operands were provided than specified in the equation")
    labels = [labels_of(each, operands[i]._array.ndim, i) for i, each in enumerate(subscripts)]
    flat = [label for each in labels for label in each]
    dots = sorted({label for label in flat if isinstance(label, int)}, reverse=True)
    result = dots + [c for c in ORDER if flat.count(c) == 1]
    if arrow:
        before, found, after = right.partition("...")
        for c in before + after:
            if right.count(c) > 1 or c not in flat:
                fault = ("appears more than once in the output" if right.count(c) > 1 else
                         "does not appear in the equation for any input operand")
                raise RuntimeError(f"einsum(): output subscript {c} {fault}")
        result = [*before, *(dots if found else ()), *after]
    order = result + [c for c in (*dots, *ORDER) if c in flat and c not in result]
    seen = {}
    for i, (each, x) in enumerate(zip(labels, operands)):
        for label, n in dict(zip(each, x._array.shape)).items():
            if seen.get(label, 1) != 1 and n not in (1, seen[label]):
                raise RuntimeError(f"einsum(): subscript {label} has size {n} for operand {i} "
                                   "which does not broadcast with previously seen size "
                                   f"{seen[label]}")
            seen[label] = n if n != 1 else seen.get(label, 1)
    return multiply_all([align(x, each, order) for x, each in zip(operands, labels)], len(result))


def labels_of(subscript, ndim, i):
    """Return the label of each dimension of operand number `i`."""
    before, dots, after = subscript.partition("...")
    named = len(before) + len(after)
    if named > ndim if dots else named != ndim:
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) " + (
            f"is more than the number of dimensions ({ndim}) for operand {i}" if dots else
            f"does not match the number of dimensions ({ndim}) for operand {i} and no ellipsis was "
            "given"))
    return [*before, *reversed(range(ndim - named)), *after]


def align(x, labels, order):
    """Return an operand with its dimensions in `order`; of a label that repeats, the diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first, sizes = labels.index(label), x._array.shape
            second = labels.index(label, first + 1)
            if sizes[first] != sizes[second]:
                raise RuntimeError(f"einsum(): subscript {label} is repeated for operand 0 but the "
                                   f"sizes don't match, {sizes[second]} != {sizes[first]}")
            x, rest = x.diagonal(0, first, second), list(range(len(sizes) - 2))
            x = x.permute((*rest[:first], len(rest), *rest[first:]))
            labels = labels[:second] + labels[second + 1:]
    for _ in range(len(order) - len(labels)):
        x = x.unsqueeze(-1)
    labels = labels + [label for label in order if label not in labels]
    return x.permute(tuple([labels.index(label) for label in order]))


def multiply_all(operands, kept):
    """Multiply pair after pair, summing over a dimension as soon as no later operand has it."""
    ndim = operands[0]._array.ndim
    result, *others = operands
    if not others:
        return result.sum(tuple(range(kept, ndim)), False) if ndim > kept else result
    for number, x in enumerate(others, 2):
        both, only_result, only_x = [], [], []
        for d in range(kept, ndim):
            in_result, in_x = result._array.shape[d] != 1, x._array.shape[d] != 1
            if (in_result or in_x) and all([y._array.shape[d] == 1 for y in operands[number:]]):
                (only_x if not in_result else both if in_x else only_result).append(d)
        if only_result:
            result = result.sum(tuple(only_result), True)
        if only_x:
            x = x.sum(tuple(only_x), True)
        result = multiply_pair(result, x, both)
    return result.view(result._array.shape[:kept]) if ndim > kept else result


def multiply_pair(left, right, summed):
    """Return the product of two aligned operands; the dimensions `summed` become size 1."""
    if not summed:
        return left * right
    a, b = left._array.shape, right._array.shape
    rest = [d for d in range(len(a)) if d not in summed]
    both = [d for d in rest if a[d] != 1 and b[d] != 1]
    only_left = [d for d in rest if a[d] != 1 and b[d] == 1]
    only_right = [d for d in rest if a[d] == 1]
    if only_left and only_right and only_right[-1] < only_left[0]:  # then the result is in order
        left, right, a, b, only_left, only_right = right, left, b, a, only_right, only_left
    batch, rows = math.prod([a[d] for d in both]), math.prod([a[d] for d in only_left])
    inner, columns = math.prod([a[d] for d in summed]), math.prod([b[d] for d in only_right])
    left = left.permute((*both, *only_left, *summed, *only_right))
    right = right.permute((*both, *summed, *only_right, *only_left))
    result = bmm(left.reshape((batch, rows, inner)), right.reshape((batch, inner, columns)))
    sizes = [*[a[d] for d in both + only_left], *[1] * len(summed), *[b[d] for d in only_right]]
    order = [*both, *only_left, *summed, *only_right]
    return result.view(sizes).permute(sorted(range(len(a)), key=order.__getitem__))


METHODS = "matmul"
FUNCTIONS_ONLY = "einsum"
OPERATORS = {"__matmul__": matmul_operator}
