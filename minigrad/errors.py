"""Arguments checked; what errors and warnings say, in PyTorch's words if it has any.

What many operations share comes first: shapes, sizes, dimensions and dtypes.  Then come
errors that can be explained with a picture, and warnings.
"""
import functools
import warnings
from operator import index
from sys import _getframe

from numpy import broadcast_shapes

from .dtypes import short_name
from .places import is_ours

NOT_A_BOOL = "{}(): argument 'enabled' (position 1) must be bool, not {}"


def common_shape(a, b):
    """Return the shape to which two shapes broadcast, or raise RuntimeError."""
    try:
        return broadcast_shapes(a, b)
    except ValueError:
        raise broadcast_error(a, b) from None


def broadcast_error(a, b):
    """Return the error for two shapes that don't broadcast; None if they do."""
    for back in range(1, min(len(a), len(b)) + 1):
        size_a, size_b = a[-back], b[-back]
        if size_a != size_b and 1 not in (size_a, size_b):
            dim = max(len(a), len(b)) - back
            return RuntimeError(
                f"The size of tensor a ({size_a}) must match the size of tensor b "
                f"({size_b}) at non-singleton dimension {dim}")
    return None


def translated(error, args):
    """Return the error to raise for a ValueError of NumPy's inside an operation."""
    if "broadcast" in str(error):
        shapes = [arg._array.shape for arg in args if hasattr(arg, "_array")]
        try:
            functools.reduce(common_shape, shapes)      # from operand to operand
        except RuntimeError as refusal:
            return refusal
    return RuntimeError(str(error))


def check_broadcast(target, source):
    """Refuse to write an array of shape `source` where the target would broadcast."""
    common = common_shape(target, source)
    if common != target:
        raise RuntimeError(
            f"output with shape {list(target)} doesn't match the broadcast shape "
            f"{list(common)}")


def whole_number(value):
    """Return an integer, or a tensor of one, as an int; refuse True and False."""
    if isinstance(value, bool):
        raise TypeError("'bool' object cannot be interpreted as an integer")
    return index(value)


def sizes_of(sizes, named=None):
    """Return the integers that f(2, 3), f((2, 3)) and f(size=(2, 3)) all mean."""
    if named is not None:
        sizes = named
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes, = sizes
    for size in sizes:
        if type(size) is not int:
            return tuple([whole_number(size) for size in sizes])
    return tuple(sizes)


def dim_range(dim, ndim):
    """Check the number of a dimension, and return it counted from the front.

    A tensor without dimensions counts as one with a single dimension.
    """
    if type(dim) is not int:
        dim = whole_number(dim)
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise IndexError(
            "Dimension out of range (expected to be in range of "
            f"[{-count}, {count - 1}], but got {dim})")
    return dim % count


def existing_dim(dim, ndim):
    """Do what `dim_range` does, but refuse a tensor without dimensions."""
    found = dim_range(dim, ndim)
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return found


def not_implemented_for(kernel, dtype):
    """Return the error of an operation that doesn't exist for a NumPy dtype."""
    name = short_name(dtype)
    return NotImplementedError(f'"{kernel}" not implemented for \'{name}\'')


def type_name(value):
    """Return the type of an argument as PyTorch's messages write it."""
    name = type(value).__name__
    if type(value).__module__ == "numpy":
        return f"numpy.{name}"
    return f"torch.{name}" if name in ("dtype", "Size") else name


def old_type_name(value):
    """Return a type as modules and optimizers write it: ``torch.FloatTensor``."""
    if hasattr(value, "_array"):
        return value.dtype.tensor_type
    module, name = type(value).__module__, type_name(value)
    return name if module == "builtins" or "." in name else f"{module}.{name}"


explainers = []         # called with each error of autograd; `minigrad.viz` adds one


def offered(error):
    """Return an error of autograd, after offering it to those who can explain it."""
    for offer in explainers:
        offer(error)
    return error


given_warnings = set()


def warn_once(message, about=None):
    """Warn, unless this program has been warned before, of this or about the same."""
    if (about or message) not in given_warnings:
        given_warnings.add(about or message)
        warn(message)


def warn(message, category=UserWarning):
    """Warn at the line of the program that called this package."""
    frame, level = _getframe(1), 2
    while is_ours(frame.f_code.co_filename) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
