"""The types of number a tensor can hold, and the type of a result of two of them.

PyTorch's rules differ from NumPy's: a float32 with an int64 stays float32, a Python
number never widens a tensor of its own kind, and neither does a tensor without
dimensions.
"""
import numpy as np


class dtype:
    """A type of number, such as ``torch.float32``.

    There is one object for each type, so that ``is`` compares them.
    """
    is_complex = False

    def __init__(self, name, short_name, cpp_name):
        self.name = name
        self.numpy = np.dtype(name)
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = self.numpy.kind == "f"
        self.short_name = short_name                    # these two are for messages
        self.cpp_name = cpp_name
        self.tensor_type = f"torch.{short_name}Tensor"  # what x.type() returns

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):           # a pickle refers to the object by its name below
        return "bool_" if self.name == "bool" else self.name


float16 = dtype("float16", "Half", "c10::Half")
float32 = dtype("float32", "Float", "float")
float64 = dtype("float64", "Double", "double")
int8 = dtype("int8", "Char", "signed char")
int16 = dtype("int16", "Short", "short int")
int32 = dtype("int32", "Int", "int")
int64 = dtype("int64", "Long", "long int")
uint8 = dtype("uint8", "Byte", "unsigned char")
bool_ = dtype("bool", "Bool", "bool")

ALL = (float16, float32, float64, int8, int16, int32, int64, uint8, bool_)
BY_NUMPY = {d.numpy: d for d in ALL}

# Python's own types count as dtypes.
OF_PYTHON = {float: float64, int: int64, bool: bool_}

# What may be an operand as a number.
NUMBERS = (int, float, np.number, np.bool_)

BOOL, INT64 = bool_.numpy, int64.numpy
FLOAT32, FLOAT64 = float32.numpy, float64.numpy

# The names in the package itself.  In this module, `float` and its like are Python's.
PUBLIC = {d.name: d for d in ALL}
PUBLIC |= {"half": float16, "float": float32, "double": float64}
PUBLIC |= {"short": int16, "int": int32, "long": int64}


def numpy_of(kind, otherwise=None):
    """Return the NumPy dtype of a ``dtype`` argument; None means `otherwise`."""
    if kind is None:
        return otherwise
    found = OF_PYTHON.get(kind, kind)
    if not isinstance(found, dtype):
        name = type(kind).__name__
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {name}")
    return found.numpy


class Default:
    """Holds the dtype of new tensors of floats, so that every module sees a change."""
    numpy = FLOAT32


RANKS = {"b": 0, "i": 1, "u": 1, "f": 2}    # by NumPy's letter for the kind of number


def result_dtype(*operands):
    """Return the NumPy dtype of a result of these arrays and Python numbers.

    Arrays with dimensions decide first; then arrays without, and then numbers, count
    only if they are of a higher kind.
    """
    with_dims = without_dims = numbers = None
    for operand in operands:
        if not isinstance(operand, (np.ndarray, np.generic)):
            numbers = promote(numbers, of_number(operand))
        elif operand.ndim:
            with_dims = promote(with_dims, operand.dtype)
        else:
            without_dims = promote(without_dims, operand.dtype)
    found = [one for one in (with_dims, without_dims, numbers) if one is not None]
    return max(found, key=lambda one: RANKS[one.kind])      # the first of the highest


def promote(a, b):
    """Return the NumPy dtype that holds both; None stands for no dtype at all."""
    if a is None or a == b:
        return b
    a_is_float, b_is_float = a.kind == "f", b.kind == "f"
    if a_is_float != b_is_float:        # a float never widens for an integer
        return a if a_is_float else b
    return np.promote_types(a, b)


def of_number(number):
    """Return the NumPy dtype that a number takes by itself."""
    if isinstance(number, (bool, np.bool_)):
        return BOOL
    if isinstance(number, (int, np.integer)):
        return INT64
    return Default.numpy


def promote_number(array_dtype, number):
    """Return the dtype of an array with a number: its own, or that of a higher kind."""
    alone = of_number(number)
    if RANKS[alone.kind] > RANKS[array_dtype.kind]:
        return alone
    return array_dtype


def in_result_dtype(*values):
    """Return arrays and numbers as arrays in the dtype of their result."""
    common = result_dtype(*values)
    return [as_array(value, common) for value in values]


def as_array(value, kind):
    if isinstance(value, (np.ndarray, np.generic)):
        return value.astype(kind, copy=False)
    return number_array(value, kind)


def number_array(number, kind):
    """Return a number as a 0-d array; one too large becomes infinite, or wraps.

    So it is for operands.  For writes and for new tensors, `ops.writing.number_for` and
    `nested.converted` refuse what is too large.
    """
    if -32768 <= number < 32768 and kind.itemsize > 1:      # all others are rare
        return np.asarray(number, kind)
    if isinstance(number, int) and not -2**63 <= number < 2**63:
        raise OverflowError("int too big to convert")
    with np.errstate(over="ignore"):
        return np.asarray(number).astype(kind)


def can_cast(source, target):
    """Return whether `source` may be written into `target`; a float, not into ints."""
    return RANKS[source.kind] <= RANKS[target.kind]


def short_name(numpy_dtype):
    """Return a dtype as most messages write it: ``Float``, ``Long``, ..."""
    return BY_NUMPY[numpy_dtype].short_name


def cpp_name(numpy_dtype):
    """Return a dtype as messages from C++ write it: ``float``, ``long int``, ..."""
    return BY_NUMPY[numpy_dtype].cpp_name


FUNCTIONS_ONLY = "dtype"
