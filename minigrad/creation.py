"""New tensors: from data, filled with a value, counting up, and shaped like another.

All these functions take ``dtype``, ``device`` (of which the CPU is the only one) and
``requires_grad``, and return a new leaf.  Five functions make the object itself:

    wrap            around an array, without history (in tensor.py)
    wrap_new        around a result, which inference_mode marks (in tensor.py)
    new_leaf        what users ask for: on a device, perhaps requiring a gradient
    make_subclass   of another class, such as Parameter, in the memory of a tensor
    rebuilt         for copy and pickle (in conversion.py)
"""
import math
from functools import wraps

import numpy as np

from . import dtypes
from .attributes import Size, check_device
from .errors import sizes_of, warn
from .memory import overlaps_itself
from .nested import array_from, converted
from .tensor import ONLY_FLOATS, Tensor, mark_inference, wrap, wrap_new


def takes_data(function):
    """Make a function of `data` refuse too few and too many in PyTorch's words."""
    name = function.__name__

    @wraps(function)
    def call(*args, **options):
        if not args and "data" not in options:
            raise TypeError(f'{name}() missing 1 required positional arguments: "data"')
        if len(args) > 1:
            raise TypeError(
                f"{name}() takes 1 positional argument but {len(args)} were given")
        return function(*args, **options)
    return call


@takes_data
def tensor(data, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a new leaf with a copy of `data`.

    data: a number, nested lists of numbers, a NumPy array or a tensor.

    >>> torch.tensor([[1.0, 2.0]], requires_grad=True)
    tensor([[1., 2.]], requires_grad=True)

    Python floats become the default dtype, integers int64, booleans bool; NumPy's
    numbers keep theirs.

    Raises RuntimeError for integers with ``requires_grad=True``, ValueError for nested
    lists of unequal lengths, TypeError for strings.
    """
    kind = dtypes.numpy_of(dtype)
    if isinstance(data, Tensor):
        warn("To copy construct from a tensor, it is recommended to use "
             "sourceTensor.detach().clone() or "
             "sourceTensor.detach().clone().requires_grad_(True), "
             "rather than torch.tensor(sourceTensor).")
        array = data._array.astype(kind or data._array.dtype, order="K")
    else:
        array = array_from(data, kind)
    return new_leaf(array, device, requires_grad)


def new_leaf(array, device=None, requires_grad=False) -> Tensor:
    """Return a leaf around a new array."""
    check_device(device)
    leaf = wrap_new(array)
    if requires_grad:
        leaf._set_requires_grad(True, ONLY_FLOATS)
    return leaf


def shape_from(sizes):
    """Return the shape that ``ones(2, 3)`` and ``ones((2, 3))`` mean."""
    shape = sizes_of(sizes)
    if min(shape, default=0) < 0:
        raise RuntimeError(
            "Trying to create tensor with negative dimension "
            f"{min(shape)}: {list(shape)}")
    return shape


def float_dtype(dtype):
    """Return the NumPy dtype of a ``dtype`` argument; None means the default dtype."""
    return dtypes.numpy_of(dtype, dtypes.Default.numpy)


def plain_number(value):
    """Return a number, or a tensor of one, as Python's number."""
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


def zeros(*sizes, size=(), dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor filled with 0: ``zeros(2, 3)`` or ``zeros((2, 3))``."""
    shape = sizes_of(sizes or size)
    if min(shape, default=0) < 0:
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return new_leaf(np.zeros(shape, float_dtype(dtype)), device, requires_grad)


def ones(*sizes, size=(), dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor filled with 1: ``ones(2, 3)`` or ``ones((2, 3))``."""
    shape = shape_from(sizes or size)
    return new_leaf(np.ones(shape, float_dtype(dtype)), device, requires_grad)


def empty(*sizes, size=(), dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor of 0; PyTorch promises no values at all here."""
    return zeros(*sizes, size=size, dtype=dtype, device=device,
                 requires_grad=requires_grad)


def full(size, fill_value, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor of the shape `size` with one number, which decides the dtype."""
    number = plain_number(fill_value)
    kind = dtypes.numpy_of(dtype, dtypes.of_number(number))
    value = converted(np.asarray(number), kind)
    shape = shape_from((tuple(size),))
    return new_leaf(np.full(shape, value), device, requires_grad)


def eye(n, m=None, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return n rows and m (or n) columns with 1 on the diagonal and 0 elsewhere."""
    return new_leaf(np.eye(n, m, dtype=float_dtype(dtype)), device, requires_grad)


def zeros_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor of 0 with the shape and the dtype of a tensor."""
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def ones_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor of 1 with the shape and the dtype of a tensor."""
    return full_like(input, 1, dtype=dtype, device=device, requires_grad=requires_grad)


def empty_like(input, *, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return a tensor of 0; PyTorch promises only the shape and the dtype."""
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def full_like(input, fill_value, *, dtype=None, device=None,
              requires_grad=False) -> Tensor:
    """Return a tensor of one number with the shape and the dtype of a tensor."""
    result = full(input.shape, fill_value, dtype=dtype or input.dtype, device=device,
                  requires_grad=requires_grad)
    if not (input._array.flags.c_contiguous or overlaps_itself(input._array)):
        # The numbers are in the same order in memory, too.
        result._array = np.full_like(input._array, result._array, result._array.dtype)
    return result


def arange(start=0, end=None, step=1, *, dtype=None, device=None,
           requires_grad=False) -> Tensor:
    """Return start, start + step, ... below `end`; ``arange(end)`` begins at 0.

    The dtype is int64 if all three are integers, else the default dtype.
    """
    if end is None:
        start, end = 0, start
    start, end, step = [plain_number(value) for value in (start, end, step)]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if isinstance(start + end + step, float):
        kind = float_dtype(dtype)
    else:
        kind = dtypes.numpy_of(dtype, dtypes.INT64)
    numbers = start + step * np.arange(math.ceil((end - start) / step))
    return new_leaf(numbers.astype(kind), device, requires_grad)


def linspace(start, end, steps, *, dtype=None, device=None,
             requires_grad=False) -> Tensor:
    """Return `steps` numbers from start to end, both included, at equal distances."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = plain_number(start), plain_number(end)
    distance = (end - start) / max(steps - 1, 1)
    # Each half is counted from its own end, so that the numbers are symmetric.
    count = np.arange(steps)
    upwards = start + distance * count
    downwards = end - distance * (steps - 1 - count)
    numbers = np.where(count < (steps + 1) // 2, upwards, downwards)
    return new_leaf(numbers.astype(float_dtype(dtype)), device, requires_grad)


def new(cls, *args):
    """Return what ``torch.Tensor(...)`` makes of a shape, of lists, or of a tensor."""
    made = new_of_dtype(args, dtypes.Default.numpy)
    return made if cls is Tensor else make_subclass(cls, made)


def new_of_dtype(args, kind):
    """Return a tensor of a NumPy dtype: of the shape in `args`, or of the values."""
    first = args[0] if len(args) == 1 else 0
    if isinstance(first, Tensor):
        return first[...]
    if isinstance(first, (int, Size)):
        return new_leaf(np.zeros(shape_from(args or (0,)), kind))
    return new_leaf(array_from(first, kind))


def make_subclass(cls, data, requires_grad=False):
    """Return a leaf of the class `cls` that shares memory and version with a tensor."""
    made = wrap(data._array, cls)
    made._counter = data._get_counter()
    if data.is_inference():
        mark_inference(made)
    if requires_grad:
        made._set_requires_grad(True, ONLY_FLOATS)
    return made


FUNCTIONS_ONLY = """
tensor zeros ones empty full eye zeros_like ones_like empty_like full_like
arange linspace
"""
ATTRIBUTES = {"__new__": staticmethod(new)}
