"""What errors and warnings say, in PyTorch's words where PyTorch has some.

Errors that many operations share come first: shapes, dimensions and dtypes that don't go together.
Then come the answer to a name that this package doesn't have, notes on errors, and warnings.
"""
import functools
import warnings
from importlib import import_module
from operator import index
from sys import _getframe

from numpy import broadcast_shapes

from . import places
from .dtypes import short_name


def broadcast_error(a, b):
    """Return the error for two shapes that don't broadcast; None if they do."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) "
                f"at non-singleton dimension {max(len(a), len(b)) - back}")
    return None


def common_shape(a, b):
    """Return the shape to which two shapes broadcast, or raise that error."""
    try:
        return broadcast_shapes(a, b)
    except ValueError:
        raise broadcast_error(a, b) from None


def translated(error, args):
    """Return the error to raise in place of a ValueError that NumPy raised inside an operation."""
    if "broadcast" in str(error):
        try:            # like PyTorch, from operand to operand
            functools.reduce(common_shape, [a._array.shape for a in args if hasattr(a, "_array")])
        except RuntimeError as refusal:
            return refusal
    return RuntimeError(str(error))


def whole_number(value):
    """Return an integer, or a tensor of one, as an int; True and False are refused."""
    if isinstance(value, bool):
        raise TypeError("'bool' object cannot be interpreted as an integer")
    return index(value)


def dim_range(dim, ndim):
    """Check the number of a dimension and make it non-negative; 0-d tensors count as 1-d."""
    if type(dim) is not int:
        dim = whole_number(dim)
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, "
                         f"{count - 1}], but got {dim})")
    return dim % count


def not_implemented_for(kernel, dtype):
    """Return the error of an operation that doesn't exist for a NumPy dtype."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{short_name(dtype)}\'')


def type_name(value):
    """Return the type of an argument as PyTorch's messages write it."""
    name = type(value).__name__
    prefixes = {"dtype": "torch.", "Size": "torch.", "ndarray": "numpy."}
    return prefixes.get(name, "") + name


def typename(value):
    """Return a type as modules and optimizers write it: of a tensor, ``torch.FloatTensor``."""
    return value.dtype.tensor_type if hasattr(value, "_array") else type_name(value)


def closed(package, names, lazy=()):
    """Return the ``__getattr__`` and the ``__dir__`` of a package that offers only `names`.

    lazy: names of submodules that are imported when they are first asked for.
    """
    def get(name):
        if name in lazy:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"{package} has no {name!r}. It covers what the book needs; see "
                             "VOCABULARY in the README")
    return get, lambda: [*names, *lazy]


# --- notes and warnings -------------------------------------------------------------------------

def noted(error):
    """Return an error of autograd with a note on how to have it explained."""
    import_module(".viz.explain", __package__).offer(error)     # pictures are loaded only now
    return error


given_warnings = set()


def warn_once(message):
    """Warn, unless this program has been warned of the same before."""
    if message not in given_warnings:
        given_warnings.add(message)
        warn(message)


def warn(message, category=UserWarning):
    """Warn at the line of the program that called this package, through any number of calls."""
    frame, level = _getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(places.PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
