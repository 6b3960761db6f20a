"""Products of small float32 matrices, added up in PyTorch's order, so that the last digit is PyTorch's.

A sum of products depends on its order, and on whether a product and the sum are rounded together. For large
matrices every library is quick in a way of its own; for small ones the order is simple: one product after the
other, or several sums beside each other where both factors lie along the sum in memory. The rules here were
found by comparing with PyTorch 2.13 on x86; its library may take other ways on other processors.
"""
from __future__ import annotations

import math

import numpy as np

ZERO = np.zeros((), np.float32)     # where a sum begins: so that of -0. alone is 0.

# So many multiplications; where there are more, speed counts more.
SMALL, SMALL_IN_LANES = 1 << 16, 1 << 14


def small_product(a, b):
    """a @ b of float32 matrices."""
    (m, k), n = a.shape, b.shape[1]
    if not 0 < m * k * n <= SMALL:
        return a @ b
    if n >= 12 and m >= 4:
        return in_blocks(a, b) if k > 5 else a @ b
    if k < 4 or n > 1 and b.flags.c_contiguous:
        return in_order(a, b)
    if m * k * n > SMALL_IN_LANES:
        return a @ b
    if n == 1 or m == 1:
        return times_column(a, b) if n == 1 else times_column(b.T, a.T).T
    return along_rows(a, b) if a.flags.c_contiguous and b.flags.f_contiguous else a @ b


def small_batch(a, b):
    """The products of the matrices of two batches."""
    if a.size * b.shape[2] > SMALL:
        return a @ b
    result = np.empty((len(a), a.shape[1], b.shape[2]), a.dtype)
    for i in range(len(a)):
        result[i] = small_product(a[i], b[i])
    return result


def in_order(a, b):
    """One product after the other, product and sum rounded apart."""
    if b.shape[1] > 1:
        return np.einsum("ij,jk->ik", a, b)
    if len(a) > 1:      # along a single column, np.einsum would take several at a time
        return np.einsum("ij,jk->ik", b.T, np.ascontiguousarray(a.T)).T
    return np.add.accumulate(a * b.T, 1)[:, -1:] + ZERO


def in_blocks(a, b):
    """One product after the other, rounded with the sum: NumPy's library does so four columns at a time."""
    n = b.shape[1]
    result = np.empty((len(a), n), a.dtype)
    for start in (*range(0, n - 4, 4), n - 4):
        np.matmul(a, b[:, start:start + 4], result[:, start:start + 4])
    return result


def times_column(a, b):
    """The product with a vector: four rows at a time, then those left over."""
    if not a.flags.c_contiguous:
        return in_order(a, b)
    m, k = a.shape
    whole = m // 4 * 4
    result = np.empty((m, 1), a.dtype)
    if whole:
        result[:whole] = in_lanes(a[:whole], b, (k - 1) % 4 + 1, 4)
    if whole < m:
        result[whole:] = in_lanes(a[whole:], b, 4, 8)
    return result


def along_rows(a, b):
    """Both factors lie along the sum.

    Each row of `a` is added up on its own as far as the first place in memory that is a multiple of four
    numbers, then in four lanes (eight for the columns that four do not divide).
    """
    k, n = b.shape
    b = np.ascontiguousarray(b)
    whole = n // 4 * 4
    result = np.empty((len(a), n), a.dtype)
    period = 4 // math.gcd(k, 4)
    for row in range(min(period, len(a))):
        head = -row * k % 4
        if whole:
            result[row::period, :whole] = in_lanes(a[row::period], b[:, :whole], head, 4)
        if whole < n:
            result[row::period, whole:] = in_lanes(a[row::period], b[:, whole:], head, 8)
    return result


def in_lanes(a, b, head, width):
    """Several sums beside each other, added by halves at the end; then what is left over.

    The first sum gets the first `head` products and every `width`-th after them, the others their neighbours.
    """
    k = len(b)
    end = head + (k - head) // width * width
    if end <= head:
        return in_order(a, b)
    first = [*range(head), *range(head, end, width)]
    lanes = [in_order(a[:, first], b[first])]
    lanes += [in_order(a[:, i:end:width], b[i:end:width]) for i in range(head + 1, head + width)]
    while width > 1:
        width //= 2
        lanes = [lanes[i] + lanes[i + width] for i in range(width)]
    total = lanes[0]
    for i in range(end, k):
        total = total + a[:, i:i + 1] * b[i]
    return total
