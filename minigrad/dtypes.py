"""The types of number a tensor can hold, and the type that comes out when two of them meet.

PyTorch's rules differ from NumPy's: a float32 with an int64 stays float32, a Python number never
widens a tensor of its own kind, and neither does a tensor without dimensions.
"""
import numpy as np


class dtype:
    """A type of number, such as ``torch.float32``; one object per type, so ``is`` compares them."""
    def __init__(self, name, short_name, cpp_name):
        self.name, self.numpy = name, np.dtype(name)
        self.short_name, self.cpp_name = short_name, cpp_name       # as they appear in messages
        self.tensor_type = f"torch.{short_name}Tensor"              # what x.type() returns
        self.is_floating_point, self.is_complex = self.numpy.kind == "f", False
        self.itemsize = self.numpy.itemsize

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return "bool_" if self.name == "bool" else self.name        # the name in this module


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
OF_PYTHON = {float: float64, int: int64, bool: bool_}       # Python's own types count as dtypes
NUMBERS = (int, float, np.number, np.bool_)                 # what may be an operand as a number
BOOL, INT64, FLOAT32, FLOAT64 = bool_.numpy, int64.numpy, float32.numpy, float64.numpy

# The names in the package itself.  In this module, `float` and its like are Python's own.
PUBLIC = {**{d.name: d for d in ALL}, "half": float16, "float": float32, "double": float64,
          "short": int16, "int": int32, "long": int64}


def numpy_of(kind, otherwise=None):
    """Return the NumPy dtype that a ``dtype`` argument means; None means `otherwise`."""
    if kind is None:
        return otherwise
    found = OF_PYTHON.get(kind, kind)
    if not isinstance(found, dtype):
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(kind).__name__}")
    return found.numpy


class Default:
    """Holds the floating-point dtype of new tensors, so that every module sees a change."""
    numpy = FLOAT32


def get_default_dtype() -> dtype:
    """Return the dtype of tensors made from Python floats: ``torch.float32`` unless changed."""
    return BY_NUMPY[Default.numpy]


def set_default_dtype(d: dtype) -> None:
    """Make ``d``, a floating-point dtype, the one of tensors made from Python floats."""
    if not isinstance(d, dtype) or not d.is_floating_point:
        invalid = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(f"{invalid}only floating-point types are supported as the default type")
    Default.numpy = d.numpy


RANKS = {"b": 0, "i": 1, "u": 1, "f": 2}        # by NumPy's letter for the kind of number


def promote(a, b):
    """Return the NumPy dtype that holds both: of a float and an integer, the float as it is."""
    if a == b or a.kind == "f" and b.kind != "f":
        return a
    if b.kind == "f" and a.kind != "f":
        return b
    return np.promote_types(a, b)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the dtype of a sum of tensors of these two dtypes."""
    return BY_NUMPY[promote(type1.numpy, type2.numpy)]


def of_number(number):
    """Return the NumPy dtype that a number takes by itself."""
    if isinstance(number, (bool, np.bool_)):
        return BOOL
    return INT64 if isinstance(number, (int, np.integer)) else Default.numpy


def promote_number(array_dtype, number):
    """Return the dtype of an array with a number, which counts only if it is of a higher kind."""
    alone = of_number(number)
    return alone if RANKS[alone.kind] > RANKS[array_dtype.kind] else array_dtype


def result_dtype(*operands):
    """Return the dtype of a result of these arrays and Python numbers.

    Arrays with dimensions decide first; then arrays without, and then numbers, count only if they
    are of a higher kind.
    """
    groups = [None, None, None]
    for operand in operands:
        if isinstance(operand, (np.ndarray, np.generic)):
            group, found = 0 if operand.ndim else 1, operand.dtype
        else:
            group, found = 2, of_number(operand)
        groups[group] = found if groups[group] is None else promote(groups[group], found)
    return max([found for found in groups if found is not None], key=lambda d: RANKS[d.kind])


def promoted(*values):
    """Return arrays and numbers as arrays in the dtype of their result."""
    common = result_dtype(*values)
    return [value.astype(common, copy=False) if isinstance(value, (np.ndarray, np.generic)) else
            number_array(value, common) for value in values]


def can_cast(source, target):
    """Return whether `source` may be written into `target`: never a float into an integer."""
    return RANKS[source.kind] <= RANKS[target.kind]


def number_array(number, kind):
    """Return a number as a 0-d array; one that is too large becomes infinite, or wraps around."""
    if -32768 <= number < 32768 and kind.itemsize > 1:      # all others are rare
        return np.asarray(number, kind)
    if isinstance(number, int) and not -2 ** 63 <= number < 2 ** 63:
        raise OverflowError("int too big to convert")
    with np.errstate(over="ignore"):
        return np.asarray(number).astype(kind)


def short_name(numpy_dtype):
    """Return a dtype as most messages write it: ``Float``, ``Long``, ..."""
    return BY_NUMPY[numpy_dtype].short_name


def cpp_name(numpy_dtype):
    """Return a dtype as messages from C++ write it: ``float``, ``long int``, ..."""
    return BY_NUMPY[numpy_dtype].cpp_name


FUNCTIONS_ONLY = "dtype get_default_dtype set_default_dtype promote_types"
