"""Which dimensions an operation is asked to work along, checked, and gradients laid back along them."""
from __future__ import annotations

from numpy import asarray, broadcast_to, ndarray

from .. import dtypes
from ..arguments import like
from ..messages import dim_range, listed_number
from ..tensor import Tensor
from . import shape

INT64 = dtypes.INT64


def numpy_of(dtype):
    """The NumPy dtype of a dtype argument; Python's own types count as dtypes, as in PyTorch."""
    return dtype.numpy if isinstance(dtype, dtypes.dtype) else dtypes.OF_PYTHON[dtype].numpy


def dims_of(dim, ndim):
    """`dim` (a number, several, or None for all) as a tuple that fits NumPy; empty for all dimensions.

    Raises:
        IndexError: a dimension does not exist.
        RuntimeError: one is named twice.
    """
    if type(dim) is int:
        if -ndim <= dim < ndim:
            return (dim,)
        dim = (dim,)
    elif dim is None:
        return ()
    elif isinstance(dim, (tuple, list)):
        dim = tuple([listed_number(d) for d in dim])
    else:
        dim = (listed_number(dim),)
    seen = [dim_range(d, ndim) for d in dim]
    if len(set(seen)) < len(seen):
        twice = next(d for i, d in enumerate(seen) if d in seen[:i])
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return dim if ndim else ()


def one_dim(dim, ndim):
    """A single dimension, non-negative."""
    return dim_range(dim, ndim)


def unsqueezed(x, dim, ndim):
    """Put the reduced dimensions back, with size 1."""
    if len(dim) == 1:
        return shape.unsqueeze(x, dim[0])
    for d in sorted([d % ndim for d in dim]):
        x = shape.unsqueeze(x, d)
    return x


def spread(grad, sizes, dim, keepdim):
    """The gradient of a sum: every element that was added is due the whole of it."""
    if isinstance(grad, Tensor):
        return shape.expand(unsqueezed(grad, dim, len(sizes)) if dim and not keepdim else grad, sizes)
    # the same on an array, without the detour, as this runs in every backward pass
    if type(grad) is not ndarray:
        grad = asarray(grad)
    strides = grad.strides
    if not strides:
        return ndarray(sizes, grad.dtype, grad, 0, (0,) * len(sizes))
    if len(dim) == 1 and grad.flags.c_contiguous:
        d, = dim
        if d < 0:
            d += len(sizes)
        return ndarray(sizes, grad.dtype, grad, 0, (*strides[:d], 0, *strides[d + keepdim:]))
    if dim and not keepdim:
        ndim = len(sizes)
        reduced = [d % ndim for d in dim]
        grad = grad.reshape([1 if i in reduced else n for i, n in enumerate(sizes)])
    return broadcast_to(grad, sizes)


# Functions of a dimension that also take NumPy's names, besides those that see to it themselves for speed.
NUMPY_SPELLED = """
aminmax argsort count_nonzero cummax cummin cumprod cumsum diff kthvalue log_softmax logcumsumexp logsumexp
median mode nanmean nanmedian nansum quantile softmax sort stack topk
"""


def numpy_spelled(function):
    """The same function, which also takes ``axis`` for `dim` and ``keepdims`` for `keepdim`."""
    def call(*args, **options):
        for spelling, name in (("axis", "dim"), ("keepdims", "keepdim")) if options else ():
            if spelling in options:
                options[name] = options.pop(spelling)
        return function(*args, **options)
    return like(function, call, function.__name__)


def respelled(function, name, names, self, dim, keepdim, **options):
    """Call again with ``axis`` and ``keepdims``, NumPy's spelling, which PyTorch takes as well."""
    first, *_ = names
    if ("axis" in names and dim is not function.__defaults__[0]
            or "keepdims" in names and keepdim is not False):
        raise TypeError(f"{name}() got an unexpected keyword argument '{first}'")
    dim = names.pop("axis", dim)
    keepdim = names.pop("keepdims", keepdim)
    if names:       # PyTorch names the first, even where another is at fault: NumPy's sum asks for `out`
        raise TypeError(f"{name}() got an unexpected keyword argument '{first}'")
    return function(self, dim, keepdim, **options)
