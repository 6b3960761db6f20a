"""Adding many floats in PyTorch's order, so that the last digit of a float32 sum is PyTorch's.

Floats are rounded after every addition, so the order matters.  PyTorch keeps partial sums: eight float32
lanes beside each other (four for float64), four rows of lanes in turn, and every 16 rows or more the partial
sums move up one level.  NumPy adds in another order (pairwise); here its plain row additions are arranged to
follow PyTorch's.
"""
from __future__ import annotations

import numpy as np

from ..memory import by_rows

add_reduce = np.add.reduce
FLOAT16, FLOAT32 = np.dtype("float16"), np.dtype("float32")

# For 5, 6 and 7 numbers: the order in which `in_four_rows` adds them; NumPy adds so few one after the other.
IN_FOUR_ROWS = {n: np.array([0, *range(4, n), 1, 2, 3]) for n in (5, 6, 7)}


def add_up(a, dim=(), keepdim=False):
    """Sum a floating-point array over the dimensions `dim` (a tuple; the empty one means all)."""
    if len(dim) == 1:
        d, = dim
        if a.shape[d] <= 4:                     # one after the other, here and there
            return by_rows(add_reduce(a, d, None, None, keepdim))
    elif a.size <= 4:
        return add_reduce(a, dim or None, None, None, keepdim)
    if a.dtype == FLOAT16:
        return add_up(a.astype(FLOAT32), dim, keepdim).astype(FLOAT16)
    if not dim and not keepdim and a.flags.c_contiguous:
        flat = a.reshape(-1)
        width = 32 // a.itemsize
        if flat.size < width:
            return add_reduce(flat[IN_FOUR_ROWS[flat.size]])
        return in_lanes(flat, width)
    if len(dim) == 1 and a.ndim == 2 and a.flags.c_contiguous and 1 not in a.shape and a.size:
        total = by_rows(of_matrix(a, dim[0] % 2))   # what along_dims comes to, without its search for the way
        return np.expand_dims(total, dim) if keepdim else total
    return by_rows(along_dims(a, dim, keepdim))


def of_matrix(a, d):
    """Sum a contiguous matrix over its rows (0) or columns (1)."""
    row, item = a.strides
    return innermost(a, row, item) if d else innermost(a.T, item, row)


def along_dims(a, dim, keepdim):
    """The general case: walk the memory as PyTorch does, reduced dimensions innermost."""
    ndim = a.ndim
    reduced = {d % ndim for d in dim} if dim else set(range(ndim))
    shape = tuple([1 if i in reduced else n for i, n in enumerate(a.shape) if keepdim or i not in reduced])
    inner = sorted([i for i in reduced if a.shape[i] != 1], key=lambda i: -a.strides[i])
    outer = [i for i in range(ndim) if i not in reduced and a.shape[i] != 1]
    if a.size == 0 or not inner:
        return add_reduce(a, axis=dim or None, keepdims=keepdim)
    sizes, strides, first_inner = [], [], 0
    for i in outer + inner:             # neighbours in memory become one dimension
        if i == inner[0]:
            first_inner = len(sizes)
        if len(sizes) > (first_inner if i in reduced else 0) and strides[-1] == a.shape[i] * a.strides[i]:
            sizes[-1] *= a.shape[i]
            strides[-1] = a.strides[i]
        else:
            sizes.append(a.shape[i])
            strides.append(a.strides[i])
    rest = [i for i in range(ndim) if a.shape[i] == 1]
    x = a.transpose(rest + outer + inner).reshape(sizes)
    result = innermost(x, *strides[-2:]) if len(sizes) > 1 else innermost(x[None], 0, strides[0])[0]
    # reduced dimensions that are left: added one after the other
    count = len(sizes) - first_inner - 1
    if count:
        result = np.add.accumulate(result.reshape(*sizes[:first_inner], -1), axis=-1)[..., -1]
    return np.ascontiguousarray(result).reshape(shape)


def innermost(x, stride1, stride0):
    """Sum over the last dimension."""
    width = 32 // x.itemsize
    size1, size0 = x.shape[-2:]
    if stride0 == x.itemsize and size0 >= width:
        return in_lanes(x, width)
    if stride0 < stride1:
        return in_four_rows(x[..., None])[..., 0]
    group = 4 * width if stride1 == x.itemsize and size1 >= width else 4
    rows = x.swapaxes(-1, -2)
    whole = size1 // group * group
    if whole == size1:
        return in_levels(rows)
    if not whole:
        return in_four_rows(rows)
    return np.concatenate([in_levels(rows[..., :whole]), in_four_rows(rows[..., whole:])], axis=-1)


def in_lanes(x, width):
    """Sum over the last, contiguous dimension: `width` lanes, then what is left over, then the lanes."""
    n = x.shape[-1]
    count = n // width
    whole = count * width
    lanes = in_four_rows(x[..., :whole].reshape(*x.shape[:-1], count, width))
    if whole < n:
        total = add_reduce(x[..., whole:], axis=-1)         # fewer than 8: one after the other
        for i in range(width):
            total = total + lanes[..., i]
        return total
    return np.add.accumulate(lanes, axis=-1)[..., -1]


def in_four_rows(x):
    """Sum over the last dimension but one: every fourth row together, then these four sums."""
    *lead, m, width = x.shape
    quarter = m // 4
    if not quarter:
        return add_reduce(x, axis=-2)
    parts = in_levels(x[..., :4 * quarter, :].reshape(*lead, quarter, 4 * width)).reshape(*lead, 4, width)
    first = parts[..., 0, :]
    for i in range(4 * quarter, m):
        first = first + x[..., i, :]
    return first + parts[..., 1, :] + parts[..., 2, :] + parts[..., 3, :]


def in_levels(x):
    """Sum over the last dimension but one, row by row; every `step` rows a partial sum moves up a level."""
    m = x.shape[-2]
    step = 1 << max(4, (m - 1).bit_length() // 4)
    if m <= step:
        return add_reduce(x, axis=-2)
    total = 0.0
    for _ in range(3):
        whole = m // step
        if whole * step < m:
            total = total + add_reduce(x[..., whole * step:, :], axis=-2)
        if not whole:
            return total
        x = add_reduce(x[..., :whole * step, :].reshape(*x.shape[:-2], whole, step, x.shape[-1]), axis=-2)
        m = whole
    return total + add_reduce(x, axis=-2)
