"""PyTorch's words: shapes that do not go together, arguments of the wrong type, names that are not there."""
from __future__ import annotations

import warnings
from numbers import Number
from operator import index
from sys import _getframe

from numpy import broadcast_shapes

from . import places
from .dtypes import short_name


def translated(error, args):
    """The error to raise in place of a ValueError that NumPy raised inside an operation."""
    shapes = [tuple(a._array.shape) for a in args if hasattr(a, "_array")]
    if "broadcast" in str(error):
        for i in range(1, len(shapes)):         # like PyTorch, from operand to operand
            refusal = broadcast_error(broadcast_shapes(*shapes[:i]), shapes[i])
            if refusal:
                return refusal
    return RuntimeError(str(error))


def broadcast_error(a, b):
    """Which dimension of two shapes does not fit; None if all do."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return RuntimeError(
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at "
                f"non-singleton dimension {max(len(a), len(b)) - back}")
    return None


def common_shape(a, b):
    """The shape to which two shapes broadcast, or that error."""
    try:
        return broadcast_shapes(a, b)
    except ValueError:
        raise broadcast_error(a, b) from None


def dim_range(dim, ndim):
    """Check a dimension number and make it non-negative; a 0-d tensor counts as having one dimension."""
    if type(dim) is not int:
        dim = whole_number(dim)
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but "
                         f"got {dim})")
    return dim % count


def whole_number(value):
    """`value` as an int: also NumPy's whole numbers, and a 0-d tensor of one.  To PyTorch, True is no number.

    Raises:
        TypeError: it is something else; what is said comes from the parser, which looks at the call then.
    """
    if isinstance(value, bool) or getattr(value, "requires_grad", False) or getattr(value, "ndim", 0):
        raise TypeError(f"'{type_name(value)}' object cannot be interpreted as an integer")
    array = getattr(value, "_array", None)
    return index(value if array is None or array.dtype.kind != "b" else None)


def listed_number(value):
    """`whole_number` for an item of a list, where PyTorch takes a tensor of one element, of any shape."""
    array = getattr(value, "_array", None)
    if array is not None and array.size == 1 and not value.requires_grad:
        value = array.reshape(())
    return whole_number(value)


def only_bool(value):
    """Refuse what is neither True nor False, where PyTorch takes nothing else; the parser words it."""
    if value is not True and value is not False:
        raise TypeError(f"'{type_name(value)}' object is no bool")


def only_number(value):
    """Refuse what is no number, where NumPy would make one, or several, of it; the parser words it."""
    if not isinstance(value, Number) and getattr(value, "ndim", 1):
        raise TypeError(f"'{type_name(value)}' object is no number")


def refuse_unless_tensor(value, function, in_place=False):
    """The same, raised, for the first argument of a function that is made of several operations."""
    if not hasattr(value, "_array"):
        raise TypeError(f"{function}{'_' * in_place}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type_name(value)}")


def type_name(value):
    """How PyTorch's messages write the type of an argument: those of C with their module."""
    kind = type(value)
    module, name = kind.__module__, kind.__name__
    if name in ("dtype", "Size") and is_ours(module):
        module = "torch"
    return f"{module}.{name}" if module in MODULES_IN_C else name


MODULES_IN_C = {"numpy", "torch", "torch._C", "torch.return_types"}


# --- arguments of the wrong type ----------------------------------------------------------------------------
#
# Methods and functions count their arguments differently: x.add("a") has trouble with position 1, and
# torch.add(x, "a") with position 2.  These errors carry both texts; `function_form` in arguments.py takes the
# one for the other.


def counts_arguments(method):
    """Mark a function whose errors count its arguments, and which takes ``input=``, as a method's does."""
    method.counts_arguments = True
    return method


def not_implemented_for(kernel, dtype):
    """The error of an operation that the dtype, a NumPy one, does not have."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{short_name(dtype)}\'')


RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the "
    "required output shape {}. This behavior is deprecated, and in a future PyTorch release outputs will "
    "not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing "
    "it, inplace, to zero elements with t.resize_(0).")


def typename(value):
    """How PyTorch's modules and optimizers write what they were given: ``torch.FloatTensor``, ``int``."""
    if hasattr(value, "_array"):
        return value.dtype.tensor_type
    named = value if hasattr(value, "__qualname__") else type(value)
    module = getattr(value, "__module__", None)
    if module in (None, "builtins", "__builtin__"):
        return named.__qualname__
    return f"{public_module(module)}.{named.__qualname__}"


def without(module):
    """The ``__getattr__`` of a module, for names that it does not have."""
    def refuse(name):
        raise AttributeError(f"module '{public_module(module)}' has no attribute '{name}'")
    return refuse


def public_module(module):
    """The name under which PyTorch has what stands in one of this package's modules."""
    return "torch" + module.removeprefix(PACKAGE) if is_ours(module) else module


def is_ours(module):
    return module.partition(".")[0] == PACKAGE


PACKAGE = __name__.partition(".")[0]


# --- notes: whoever can explain an error of autograd, such as minigrad.viz, is shown it before it is raised ---

explainers = []


def noted(error):
    """The error, after everybody who explains errors has seen it."""
    for explain in explainers:
        explain(error)
    return error


# --- warnings ---

_given = set()
_always = False


def warn_once(message: str) -> None:
    """Warn, unless this program has been warned of the same before."""
    if _always or message not in _given:
        _given.add(message)
        warn(message)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the program that called this package, through however many of its functions.

    PyTorch's C++ code does so; its Python code counts frames, as does this package where it follows that.
    """
    frame, level = _getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(places.PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


