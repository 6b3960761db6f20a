"""New tensors: from data, filled with a value, counting up, and shaped like another tensor.

All these functions take ``dtype`` and the options of `new_leaf`: ``requires_grad`` and ``device``.
"""
import math

import numpy as np

from . import dtypes
from .attributes import Size, check_device
from .errors import warn, whole_number
from .nested import array_from, converted
from .tensor import ONLY_FLOATS, Tensor, mark_inference, wrap, wrap_new


def tensor(data=..., *more, dtype=None, **options) -> Tensor:
    """Return a new leaf with a copy of `data`: a number, nested lists, a NumPy array, a tensor.

    >>> torch.tensor([[1.0, 2.0]], requires_grad=True)
    tensor([[1., 2.]], requires_grad=True)

    Python floats become the default dtype, integers int64, booleans bool; NumPy data keep theirs.

    Raises RuntimeError for integers with ``requires_grad=True``, ValueError for nested lists of
    unequal lengths, TypeError for strings.
    """
    if more:
        raise TypeError(f"tensor() takes 1 positional argument but {1 + len(more)} were given")
    if data is ...:
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    kind = dtypes.numpy_of(dtype)
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use "
             "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
             "rather than torch.tensor(sourceTensor).")
        return new_leaf(data._array.astype(kind or data._array.dtype, order="K"), **options)
    return new_leaf(array_from(data, kind), **options)


def new_leaf(array, *, requires_grad=False, device=None) -> Tensor:
    """Return a leaf around a new array; the only `device` is the CPU."""
    check_device(device)
    result = wrap_new(array)
    if requires_grad:
        result._set_requires_grad(True, ONLY_FLOATS)
    return result


def size_of(size, function="zeros"):
    """Return the shape that ``zeros(2, 3)`` and ``zeros((2, 3))`` mean."""
    if size and isinstance(size[0], (tuple, list)):
        size, = size
    shape = tuple(map(whole_number, size))
    if min(shape, default=0) < 0:
        raise RuntimeError(
            "zeros: Dimension size must be non-negative." if function == "zeros" else
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


def float_dtype(dtype):
    """Return the NumPy dtype of a ``dtype`` argument; None means the default dtype."""
    return dtypes.numpy_of(dtype, dtypes.Default.numpy)


def plain_number(value):
    """Return a number, or a tensor of one, as Python's number."""
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


def zeros(*args, size=(), dtype=None, **options) -> Tensor:
    """Return a tensor of this shape filled with 0: ``zeros(2, 3)`` or ``zeros((2, 3))``."""
    return new_leaf(np.zeros(size_of(args or size), float_dtype(dtype)), **options)


def ones(*args, size=(), dtype=None, **options) -> Tensor:
    """Return a tensor of this shape filled with 1: ``ones(2, 3)`` or ``ones((2, 3))``."""
    return new_leaf(np.ones(size_of(args or size, "ones"), float_dtype(dtype)), **options)


def empty(*args, **options) -> Tensor:
    """Return a tensor of this shape whose values PyTorch does not promise; here they are 0."""
    return zeros(*args, **options)


def full(size, fill_value, *, dtype=None, **options) -> Tensor:
    """Return a tensor of the shape `size`, a tuple, filled with a number that decides the dtype."""
    value = plain_number(fill_value)
    value = converted(np.asarray(value), dtypes.numpy_of(dtype, dtypes.of_number(value)))
    return new_leaf(np.full(size_of((tuple(size),), "full"), value), **options)


def eye(n, m=None, *, dtype=None, **options) -> Tensor:
    """Return n rows and m (or n) columns with 1 on the diagonal and 0 elsewhere."""
    return new_leaf(np.eye(n, m, dtype=float_dtype(dtype)), **options)


def like_form(function):
    """Return the form of a creation function that takes its shape and dtype from a tensor."""
    def make(input, *args, dtype=None, **options):
        return function(input.shape, *args, dtype=dtype or input.dtype, **options)
    make.__doc__ = f"Return `{function.__name__}` of the shape and dtype of a tensor."
    return make


zeros_like, ones_like, full_like, empty_like = map(like_form, (zeros, ones, full, empty))


def arange(start=0, end=None, step=1, *, dtype=None, **options) -> Tensor:
    """Return start, start + step, ... below `end`; ``arange(end)`` begins at 0.

    The dtype is int64 if all three are integers, else the default dtype.
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = plain_number(start), plain_number(end), plain_number(step)
    is_whole = not any([isinstance(value, float) for value in (start, end, step)])
    kind = dtypes.numpy_of(dtype, dtypes.INT64) if is_whole else float_dtype(dtype)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    numbers = start + step * np.arange(math.ceil((end - start) / step))
    return new_leaf(numbers.astype(kind), **options)


def linspace(start, end, steps, *, dtype=None, **options) -> Tensor:
    """Return `steps` numbers from start to end, both included, at equal distances."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end, at = plain_number(start), plain_number(end), np.arange(steps)
    step = (end - start) / max(steps - 1, 1)
    # Both halves are counted from their end, so that the numbers are symmetric.
    numbers = np.where(at < (steps + 1) // 2, start + step * at, end - step * (steps - 1 - at))
    return new_leaf(numbers.astype(float_dtype(dtype)), **options)


def new(cls, *args):
    """Return what the old name ``torch.Tensor(...)`` makes of a shape, of lists, or of a tensor."""
    made = made_from(args, dtypes.Default.numpy)
    return made if cls is Tensor else make_subclass(cls, made)


def made_from(args, kind):
    """Return a tensor of this NumPy dtype: a shape as whole numbers, or values in a list."""
    first = args[0] if len(args) == 1 else 0
    if isinstance(first, Tensor):
        return first[...]
    if isinstance(first, (int, Size)):
        return new_leaf(np.zeros(size_of(args or (0,), "new"), kind))
    return new_leaf(array_from(first, kind))


def make_subclass(cls, data, require_grad=False):
    """Return a leaf of the class `cls` around the memory, and with the version, of a tensor."""
    made = wrap(data._array, cls)
    made._counter = data._get_counter()
    if data.is_inference():
        mark_inference(made)
    if require_grad:
        made._set_requires_grad(True, ONLY_FLOATS)
    return made


def tensor_type(dtype):
    """Return the function ``torch.FloatTensor``, or its like, that makes tensors of a dtype."""
    def make(*args):
        return made_from(args, dtype.numpy)
    make.dtype = dtype
    return make


TENSOR_TYPES = {f"{d.short_name}Tensor": tensor_type(d) for d in dtypes.ALL}
globals().update(TENSOR_TYPES)

FUNCTIONS_ONLY = """
tensor zeros ones empty full eye zeros_like ones_like empty_like full_like arange linspace
""" + " ".join(TENSOR_TYPES)
OPERATORS = {"__new__": staticmethod(new)}
