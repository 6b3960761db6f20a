"""New tensors: from Python numbers and NumPy arrays, filled with one value, or shaped like another.

What all these functions accept: ``dtype``, ``requires_grad``, and the arguments that matter in PyTorch only
(``device``, ``layout``, ``pin_memory``, ``memory_format``).  Their results are leaves, with or without
``no_grad``.
"""
from __future__ import annotations

import operator

import numpy as np

from . import dtypes
from .memory import empty_in_order, empty_like_layout
from .errors import type_name
from .nested import array_from, converted
from .attributes import check_device, preserve_format
from .attributes import layout as Layout
from .tensor import ONLY_FLOATS, Tensor, wrap_new
from .errors import warn

COPY_CONSTRUCT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor).")


def tensor(*args, data=None, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A new leaf with a copy of `data`: a number, nested lists, a NumPy array or scalar, a tensor.

    Python floats become the default dtype, integers int64, booleans bool; NumPy data keep their dtype.

    Raises:
        RuntimeError: integers with ``requires_grad=True``, or an object that is no number.
        ValueError: nested lists of unequal lengths.
        TypeError: strings.
    """
    if len(args) == 1:
        data, = args
    elif args:
        raise TypeError(f"tensor() takes 1 positional argument but {len(args)} were given")
    elif data is None:
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    return finish(copied(data, dtype, "torch.tensor"), requires_grad, device)


def copied(data, dtype, function):
    """The numbers of any data as a new array; `function` is what a warning tells not to give tensors to."""
    if dtype is not None:
        dtype = numpy_dtype(dtype, None, function.rpartition(".")[2])
    if isinstance(data, Tensor):
        warn(COPY_CONSTRUCT.format(function))
        return data._array.astype(dtype or data._array.dtype, order="K")
    return array_from(data, dtype)


def finish(array, requires_grad=False, on=None, function="tensor", laid_out=None):
    """The tensor of a creation function."""
    if on is not None:
        check_device(on, function)
    if laid_out is not None and not isinstance(laid_out, Layout):
        raise TypeError(f"{function}(): argument 'layout' must be torch.layout, not {type_name(laid_out)}")
    result = wrap_new(array)
    if requires_grad is not False:
        if not isinstance(requires_grad, bool):
            raise TypeError(f"{function}(): argument 'requires_grad' must be bool, not "
                            f"{type_name(requires_grad)}")
        result._set_requires_grad(True, ONLY_FLOATS)
    return result


def numpy_dtype(dtype, otherwise, function="tensor"):
    """The NumPy dtype that a ``dtype`` argument means."""
    if dtype is None:
        return otherwise
    if isinstance(dtype, dtypes.dtype):
        return dtype.numpy
    if isinstance(dtype, type) and dtype in dtypes.OF_PYTHON:
        return dtypes.OF_PYTHON[dtype].numpy
    raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type_name(dtype)}")


# --- the shape argument -------------------------------------------------------------------------------------

def size_of(args, size=None, function="zeros"):
    """The shape that `ones(2, 3)`, `ones((2, 3))`, `ones([2, 3])` and `ones(size=(2, 3))` all mean."""
    if args:
        if isinstance(args[0], (tuple, list)):
            if len(args) > 1:
                raise TypeError(f"{function}() takes 1 positional argument but {len(args)} were given")
            args, = args
        elif not is_whole(args[0]):
            raise TypeError(f"{function}(): argument 'size' (position 1) must be tuple of ints, not "
                            f"{type_name(args[0])}")
    elif size is None:
        if function in ("rand", "randn"):
            raise no_form(function)
        raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
    else:
        args = tuple(size)
    shape = tuple([whole(n, i, function) for i, n in enumerate(args)])
    if any(n < 0 for n in shape):
        if function == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        bad = next(n for n in shape if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {bad}: {list(shape)}")
    return shape


def is_whole(value):
    if isinstance(value, Tensor):
        return value._array.size == 1 and value._array.dtype.kind in "iu"
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole(value, i, function):
    if type(value) is int:
        return value
    if not is_whole(value):
        raise TypeError(f"{function}(): argument 'size' failed to unpack the object at pos {i + 1} with "
                        f"error \"type must be tuple of ints,but got {type_name(value)}\"")
    return operator.index(value._array.reshape(()) if isinstance(value, Tensor) else value)


# --- filled with one value ----------------------------------------------------------------------------------

def zeros(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
          requires_grad=False) -> Tensor:
    """A new leaf of this shape, filled with 0."""
    array = np.zeros(size_of(args, size), numpy_dtype(dtype, dtypes.Default.numpy, "zeros"))
    return deliver(array, out, requires_grad, device, "zeros", layout)


def ones(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False) -> Tensor:
    """A new leaf of this shape, filled with 1."""
    array = np.ones(size_of(args, size, "ones"), numpy_dtype(dtype, dtypes.Default.numpy, "ones"))
    return deliver(array, out, requires_grad, device, "ones", layout)


def empty(*args, size=None, out=None, dtype=None, layout=None, device=None, pin_memory=False,
          requires_grad=False, memory_format=None) -> Tensor:
    """A new leaf of this shape with no values promised (here: zeros)."""
    sizes, kind = size_of(args, size, "empty"), numpy_dtype(dtype, dtypes.Default.numpy, "empty")
    if memory_format is None:
        array = np.zeros(sizes, kind)
    else:
        array = empty_in_format(sizes, kind, memory_format)
        array[...] = 0
    return deliver(array, out, requires_grad, device, "empty", layout)


def full(size, fill_value=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
         requires_grad=False) -> Tensor:
    """A new leaf of the shape `size`, a tuple, filled with a number, which also decides the dtype."""
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}")
    if fill_value is None:
        raise TypeError('full() missing 1 required positional arguments: "fill_value"')
    value = plain_number(fill_value, "full", "fill_value", 2)
    kind = numpy_dtype(dtype, dtypes.of_number(value), "full")
    array = np.full(size_of((size,), None, "full"), fitted(value, kind))
    return deliver(array, out, requires_grad, device, "full", layout)


def plain_number(value, function, name, position):
    """A Python number from what may be given for one."""
    if isinstance(value, Tensor) and value._array.ndim == 0 and not value.requires_grad:
        return value._array.item()
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, dtypes.NUMBERS):
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be Number, not "
                        f"{type_name(value)}")
    return value


def is_number(value):
    if isinstance(value, Tensor):
        return value._array.ndim == 0
    return value is None or isinstance(value, dtypes.NUMBERS)


def fitted(value, kind):
    """A number as a NumPy scalar of this dtype; too large a one is refused."""
    try:
        return converted(np.asarray(value), kind).astype(kind)[()]
    except RuntimeError as error:
        name = "int" if kind.name == "int32" else f"{kind.name}_t"
        raise RuntimeError(str(error).replace(kind.name, name)) from None


def deliver(array, out, requires_grad, device, function, layout):
    """The new tensor, or the tensor `out` with the new numbers written into it."""
    if out is None:
        return finish(array, requires_grad, device, function, layout)
    return write_out(out, array)


def write_out(out, array):
    """Put an array into the tensor that ``out=`` named, which takes its shape."""
    if out._array.shape != array.shape:
        out._array = np.empty(array.shape, out._array.dtype)
    out._array[...] = array
    out._get_counter().value += 1
    return out


# --- shaped like another tensor -----------------------------------------------------------------------------

def like(input, function, dtype, memory_format=None):
    """A new array with the shape, and as far as possible the order of dimensions in memory, of a tensor."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type_name(input)}")
    array = input._array
    kind = numpy_dtype(dtype, array.dtype, function)
    if memory_format not in (None, preserve_format):
        return empty_in_format(array.shape, kind, memory_format)
    if array.flags.c_contiguous:
        return np.empty(array.shape, kind)
    return empty_in_order(array, kind)


def zeros_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None) -> Tensor:
    """Zeros of this tensor's shape, dtype and order in memory."""
    array = like(input, "zeros_like", dtype, memory_format)
    array.fill(0)
    return finish(array, requires_grad, device, "zeros_like", layout)


def ones_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
              memory_format=None) -> Tensor:
    """Ones of this tensor's shape, dtype and order in memory."""
    array = like(input, "ones_like", dtype, memory_format)
    array.fill(1)
    return finish(array, requires_grad, device, "ones_like", layout)


def empty_like(input, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
               memory_format=None) -> Tensor:
    """A tensor of this tensor's shape, dtype and order in memory with no values promised (here: zeros)."""
    array = like(input, "empty_like", dtype, memory_format)
    array.fill(0)
    return finish(array, requires_grad, device, "empty_like", layout)


def full_like(input, fill_value, *, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False, memory_format=None) -> Tensor:
    """A tensor of this tensor's shape, dtype and order in memory, filled with a number."""
    value = plain_number(fill_value, "full_like", "fill_value", 2)
    array = like(input, "full_like", dtype, memory_format)
    array.fill(fitted(value, array.dtype))
    return finish(array, requires_grad, device, "full_like", layout)


# --- methods: new tensors of the same dtype -----------------------------------------------------------------

def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """`torch.tensor(data)`, of this tensor's dtype unless another is given."""
    array = copied(data, dtype or self.dtype, "tensor.new_tensor")
    return finish(array, requires_grad, device, "new_tensor")


def new_zeros(self, *args, size=None, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False):
    """Zeros of this tensor's dtype."""
    array = np.zeros(size_of(args, size, "new_zeros"), numpy_dtype(dtype, self._array.dtype, "new_zeros"))
    return finish(array, requires_grad, device, "new_zeros", layout)


def new_empty(self, *args, size=None, dtype=None, layout=None, device=None, pin_memory=False,
              requires_grad=False):
    """A tensor of this tensor's dtype with no values promised (here: zeros)."""
    array = np.zeros(size_of(args, size, "new_empty"), numpy_dtype(dtype, self._array.dtype, "new_empty"))
    return finish(array, requires_grad, device, "new_empty", layout)


FUNCTIONS_ONLY = """
tensor zeros ones empty full zeros_like ones_like empty_like full_like
"""
METHODS_ONLY = """
new_tensor new_zeros new_empty
"""
