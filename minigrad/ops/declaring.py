"""Tools with which these modules declare operations and check arguments."""
from functools import cache, wraps

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS
from ..errors import not_implemented_for, type_name
from ..tensor import Tensor


def declare(node_name, forward, **formulas):
    """Make an operation that is named after its node: MulBackward0 is left by mul."""
    name = node_name.rpartition("Backward")[0].lower()
    return differentiable(node_name, name=name, **formulas)(forward)


def chooses(choose):
    """Make a public function, and its form in place, of one that chooses an operation.

    `choose` returns the operation and its operands.  The form in place is kept as the
    attribute ``in_place``; the method ``<name>_`` is made of it.
    """
    function = function_of(choose, choose.__name__, lambda operation: operation)
    function.in_place = function_of(choose, f"{choose.__name__}_", in_place_form)
    return function


def function_of(choose, name, form_of):
    @wraps(choose)
    def function(*args, **options):
        operation, *operands = choose(*args, **options)
        result = form_of(operation)(*operands)
        if result is NotImplemented:        # an operation of two declined
            first, second = operands
            if isinstance(first, Tensor):
                raise wrong_type(name, "'other' (position 1)", second)
            raise wrong_type(name, "'input' (position 1)", first)
        return result
    return function


in_place_form = cache(in_place)


def operator(function):
    """Make an operator, which leaves operands of other types to their own methods."""
    def apply(self, other):
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        return function(self, other)
    return apply


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}


def numpy_names(function):
    """Let a function take NumPy's `axis` and `keepdims` for dim and keepdim, too."""
    @wraps(function)
    def renaming(*args, **options):
        if options:
            options = {NUMPY_NAMES.get(name, name): value
                       for name, value in options.items()}
        return function(*args, **options)

    return renaming


# --- checks -------------------------------------------------------------------------

def check_dtype(array, refused, name):
    """Raise if an array holds numbers of a refused kind: bools "b", integers "iu"."""
    if array.dtype.kind in refused:
        raise not_implemented_for(name, array.dtype)


def expect_tensors(function, **arguments):
    """Raise TypeError for an argument that is not a tensor, such as a NumPy array."""
    for name, value in arguments.items():
        if not isinstance(value, Tensor):
            raise wrong_type(function, f"'{name}'", value)


def wrong_type(function, argument, value):
    """Return the error for an argument that should be a tensor."""
    return TypeError(
        f"{function}(): argument {argument} must be Tensor, not {type_name(value)}")


def wrong_arguments(function, given, *forms):
    """Return the error for arguments that fit none of a function's forms."""
    types = ", ".join([type_name(value) for value in given])
    lines = [f"\n * ({form})" for form in forms]
    return TypeError(
        f"{function}() received an invalid combination of arguments - "
        f"got ({types}), but expected one of:{''.join(lines)}")
