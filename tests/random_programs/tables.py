"""Helpers for the tables of calls: a row is (source, shape of the result) or (source, shape, dtype)."""
import math

from .writer import FLOATS, Expr


def from_rows(w, x, rows, grad=True, root=""):
    """One row as an expression computed from x; `root`: the variable in whose memory it lies."""
    src, shape, *dtype = w.one_of(rows)
    dtype = dtype[0] if dtype else x.dtype
    return Expr(src, shape, dtype, grad and x.grad and dtype in FLOATS, max(20.0, x.size * 4), root=root,
                repeats=bool(root) and x.repeats)


def tamed(x):
    """x, or something small computed from it, if its values may be large."""
    if x.size <= 50:
        return x
    return x._replace(src=f"{x.src}.tanh()", size=1.0, dtype=x.dtype if x.floating else "float32", leaf=False)


def floating(x):
    """x as floating point numbers."""
    return x if x.floating else x._replace(src=f"{x.src}.float()", dtype="float32", grad=False, leaf=False)


def some_dim(w, x):
    """A dimension of x and how to write it: counted from the front or from the back."""
    d = w.below(x.ndim)
    return d, (d - x.ndim if w.chance(0.35) else d)


def without_dim(shape, d, keep=False):
    return shape[:d] + ((1,) if keep else ()) + shape[d + 1:]


def with_dim(shape, d, size):
    return shape[:d] + (size,) + shape[d + 1:]


def count(shape):
    return math.prod(shape)


def row_major(shape):
    """The strides of a contiguous tensor of the shape."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
