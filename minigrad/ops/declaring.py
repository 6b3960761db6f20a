"""Tools with which these modules declare operations and check arguments."""
from functools import cache, wraps

import numpy as np

from .. import dtypes
from ..autograd.calling import arrays_of as numbers_of
from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS
from ..errors import not_implemented_for, type_name, warn_once
from ..tensor import Tensor, wrap
from ..vocabulary import absent_option


def declare(node_name, forward, **formulas):
    """Make an operation that is named after its node: MulBackward0 is left by mul."""
    name = node_name.rpartition("Backward")[0].lower()
    return differentiable(node_name, name=name, **formulas)(forward)


def with_in_place_form(choose):
    """Make `mul` and `mul_` of a function that says which operation to call, on what.

        @with_in_place_form
        def mul(self, other):
            '''Return self * other.'''      # what help(torch.mul) shows
            return _mul, self, other        # mul() calls _mul; mul_() writes its result

    `mul_` is kept as the attribute ``mul.in_place``, of which the method is made.
    """
    function = caller_of(choose, choose.__name__)
    function.in_place = caller_of(choose, f"{choose.__name__}_", cache(in_place))
    return function


def caller_of(choose, name, form_of=None):
    """Make a function that calls the operation that was chosen, or a form of it."""
    @wraps(choose)
    def function(*args, **options):
        try:
            operation, *operands = choose(*args, **options)
        except TypeError as error:
            if not has_factor_first(choose, args, options):
                raise argument_error(error, choose, function, options) from None
            operation, *operands = with_factor_last(choose, name, *args)
        call = operation if form_of is None else form_of(operation)
        result = call(*operands)
        if result is NotImplemented:        # an operation of two declined
            first, second = operands
            if isinstance(first, Tensor):
                raise wrong_type(name, "other", second)
            raise wrong_type(name, "input", first)
        return result
    return function


def has_factor_first(choose, args, options):
    """Whether a call has the form of before 2018: ``x.add_(2, y)``, not alpha=2."""
    return (bool(choose.__kwdefaults__) and not options
            and len(args) == choose.__code__.co_argcount + 1
            and isinstance(args[1], NUMBERS))


def with_factor_last(choose, name, self, factor, *operands):
    """Choose as today's form does; the first such call of a program warns."""
    (keyword, default), = choose.__kwdefaults__.items()
    names = choose.__code__.co_varnames[1:1 + len(operands)]
    tensors = ", ".join(f"Tensor {one}" for one in names)
    warn_once(
        f"This overload of {name} is deprecated:\n"
        f"\t{name}(Number {keyword}, {tensors})\n"
        "Consider using one of the following signatures instead:\n"
        f"\t{name}({tensors}, *, Number {keyword} = {default})", about="factor first")
    return choose(self, *operands, **{keyword: factor})


def declining(function):
    """Make an operator, which leaves operands of other types to their own methods."""
    def apply(self, other):
        if not isinstance(other, (Tensor, *NUMBERS)):
            return NotImplemented
        return function(self, other)
    return apply


def argument_error(error, called, public, options):
    """Return the error of a call whose arguments don't fit, with the public name."""
    if error.__traceback__.tb_next is not None:
        return error                    # it was raised inside
    name = public.__name__
    if "out" in options:
        return absent_option(name, "out")
    return TypeError(str(error).replace(f"{called.__qualname__}()", f"{name}()", 1))


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}


def numpy_names(function):
    """Let a function take NumPy's `axis` and `keepdims` for dim and keepdim, too."""
    @wraps(function)
    def renaming(*args, **options):
        if not options:
            return function(*args)
        options = {NUMPY_NAMES.get(name, name): value
                   for name, value in options.items()}
        try:
            return function(*args, **options)
        except TypeError as error:
            raise argument_error(error, function, renaming, options) from None

    return renaming


def check_dtype(array, refused, name):
    """Raise if an array holds numbers of a refused kind: bools "b", integers "iu"."""
    if array.dtype.kind in refused:
        raise not_implemented_for(name, array.dtype)


def expect_tensors(function, **arguments):
    """Raise TypeError for an argument that is not a tensor, such as a NumPy array.

    It takes 0.7 us: quick operations call it only if an argument is no `Tensor`.
    """
    for name, value in arguments.items():
        if not isinstance(value, Tensor):
            raise wrong_type(function, name, value)


def expect_list_of_tensors(function, tensors):
    """Raise TypeError unless an argument is a tuple or a list of tensors alone."""
    if not isinstance(tensors, (tuple, list)):
        raise wrong_type(function, "tensors", tensors, "tuple of Tensors")
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"expected Tensor as element {i} in argument 0, but got {type_name(x)}")


def wrong_type(function, argument, value, wanted="Tensor"):
    """Return the error for an argument that should be something else."""
    return TypeError(f"{function}(): argument '{argument}' must be {wanted}, "
                     f"not {type_name(value)}")


# --- what formulas do with values: arrays in an ordinary pass, else tensors -----------

shape_of = np.shape         # the shape of an array or a tensor

# NumPy converts a Python number each time it meets an array.  An array without
# dimensions is ready: `ONE[dtype] - x` takes half the time of `1 - x` for few numbers.
ZERO = {dtype: np.zeros((), dtype) for dtype in dtypes.BY_NUMPY}
ONE = {dtype: np.ones((), dtype) for dtype in dtypes.BY_NUMPY}


def as_kind_of(x, array):
    """Return the array itself where `x` is an array, or a tensor where `x` is one."""
    return wrap(array) if isinstance(x, Tensor) else array


def new_zeros(x, shape):
    """Return zeros of this shape in the dtype of `x`."""
    return as_kind_of(x, np.zeros(shape, numbers_of(x).dtype))


def zero_gradient(grad):
    """Return zeros: the gradient of a function that is constant almost everywhere."""
    return new_zeros(grad, shape_of(grad))


def maybe_multiply(x, factor):
    """Return x * factor; where the factor is 1, x itself."""
    return x if factor == 1 else times(x, factor)


def with_number(node_name, compute, gradient=lambda grad: grad):
    """Return a function of x and a number, which a tensor records by this name."""
    operation = declare(node_name, compute, self=gradient)

    def function(x, number):
        return operation(x, number) if isinstance(x, Tensor) else compute(x, number)
    return function


# As PyTorch's formulas, these save no tensor: MulBackward0, which ``*`` records, would
# save the number as one.
times = with_number(
    "MulBackward1", lambda self, other: self * other,
    lambda grad, other: times(grad, other))
divided = with_number(
    "DivBackward1", lambda self, other: self / other,
    lambda grad, other: divided(grad, other))
plus = with_number("AddBackward1", lambda self, other: self + other)
minus = with_number("SubBackward1", lambda self, other: self - other)
