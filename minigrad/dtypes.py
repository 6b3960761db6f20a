"""The types of number a tensor can hold, and which type comes out when two of them meet.

PyTorch's rules differ from NumPy's: a float32 beside an int64 stays float32, a Python number never widens a
tensor of its own kind, and neither does a tensor without dimensions.
"""
from __future__ import annotations

import numpy as np


class dtype:
    """A type of number, such as ``torch.float32``; one object per type, so ``is`` and ``==`` both compare."""

    __slots__ = ("numpy", "name", "tensor_type")

    def __init__(self, name: str, tensor_type: str):
        self.name = name
        self.numpy = np.dtype(name)
        self.tensor_type = f"torch.{tensor_type}"       # what x.type() answers

    def __repr__(self):
        return f"torch.{self.name}"


    @property
    def itemsize(self) -> int:
        return self.numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        return self.numpy.kind == "f"

    @property
    def is_complex(self) -> bool:
        return False


float16 = dtype("float16", "HalfTensor")
float32 = dtype("float32", "FloatTensor")
float64 = dtype("float64", "DoubleTensor")
int8 = dtype("int8", "CharTensor")
int16 = dtype("int16", "ShortTensor")
int32 = dtype("int32", "IntTensor")
int64 = dtype("int64", "LongTensor")
uint8 = dtype("uint8", "ByteTensor")
bool_ = dtype("bool", "BoolTensor")

ALL = (float16, float32, float64, int8, int16, int32, int64, uint8, bool_)
BY_NUMPY = {d.numpy: d for d in ALL}

# The names in the package itself, where `torch.int` may stand beside Python's own.
PUBLIC = {"float16": float16, "half": float16, "float32": float32, "float": float32, "float64": float64,
          "double": float64, "int8": int8, "int16": int16, "short": int16, "int32": int32, "int": int32,
          "int64": int64, "long": int64, "uint8": uint8, "bool": bool_}

# Python's own types, which PyTorch takes for dtypes.
OF_PYTHON = {float: float64, int: int64, bool: bool_}

BOOL, INT64, FLOAT32, FLOAT64 = bool_.numpy, int64.numpy, float32.numpy, float64.numpy


class Default:
    """The floating-point type of new tensors; kept on an object so that every module sees a change."""
    numpy = FLOAT32


def get_default_dtype() -> dtype:
    """The dtype of tensors made from Python floats (``torch.float32`` unless changed)."""
    return BY_NUMPY[Default.numpy]


def set_default_dtype(d: dtype) -> None:
    """Make ``d``, a floating-point dtype, the one that Python floats become.

    Raises:
        TypeError: ``d`` is not a floating-point dtype.
    """
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    Default.numpy = d.numpy


def numpy_of(kind) -> np.dtype:
    """The NumPy dtype of a dtype argument; Python's own types count as dtypes, as in PyTorch."""
    return kind.numpy if isinstance(kind, dtype) else OF_PYTHON[kind].numpy


def category(kind: str) -> int:
    """How NumPy's ``dtype.kind`` ranks in promotion: bool below integers below floats."""
    return RANKS[kind]


RANKS = {"b": 0, "i": 1, "u": 1, "f": 2}


def promote(a: np.dtype, b: np.dtype) -> np.dtype:
    """The NumPy dtype that holds both: of a float and an integer, the float as it is."""
    if a == b:
        return a
    if a.kind == "f" and b.kind != "f":
        return a
    if b.kind == "f" and a.kind != "f":
        return b
    return np.promote_types(a, b)


def of_number(number) -> np.dtype:
    """The dtype a Python number takes by itself."""
    if type(number) is float:
        return Default.numpy
    if isinstance(number, (bool, np.bool_)):
        return BOOL
    if isinstance(number, (int, np.integer)):
        return INT64
    return Default.numpy


def number_array(number, kind: np.dtype):
    """A number as a 0-d array of an already chosen dtype.

    What is too large for it becomes infinite, or loses its upper bits if it is an integer.
    """
    if -32768 <= number < 32768 and kind.itemsize > 1:      # all others are rare
        return np.asarray(number, kind)
    if isinstance(number, int) and not -2 ** 63 <= number < 2 ** 63:
        raise OverflowError("int too big to convert")
    with np.errstate(over="ignore"):
        return np.asarray(number).astype(kind)


def with_number(array, number):
    """An array and a number beside it, both in the dtype of their result."""
    if array.dtype.kind == "f" and -32768 <= number < 32768:        # the common case, written out for speed
        return array, np.asarray(number, array.dtype)
    kind = promote_number(array.dtype, number)
    return array.astype(kind, copy=False), number_array(number, kind)


def promote_number(array_dtype: np.dtype, number) -> np.dtype:
    """The dtype of a tensor beside a Python number, which counts only if it is of a higher kind."""
    alone = of_number(number)
    return alone if RANKS[alone.kind] > RANKS[array_dtype.kind] else array_dtype


def result_dtype(*operands) -> np.dtype:
    """The result dtype of arrays and Python numbers together.

    Arrays with dimensions decide first; those without, then plain numbers, count only if they are of a higher
    kind.
    """
    ranks: list[np.dtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, (np.ndarray, np.generic)):
            rank, found = (0 if operand.ndim else 1), operand.dtype
        else:
            rank, found = 2, of_number(operand)
        ranks[rank] = found if ranks[rank] is None else promote(ranks[rank], found)
    result = None
    for found in ranks:
        if found is not None and (result is None or category(found.kind) > category(result.kind)):
            result = found
    return result


def can_cast(source: np.dtype, target: np.dtype) -> bool:
    """Whether an in-place operation may store ``source`` into ``target``: never a float into an integer."""
    return category(source.kind) <= category(target.kind)


def short_name(numpy_dtype: np.dtype) -> str:
    """How PyTorch's messages abbreviate a dtype: ``Float``, ``Long``, ..."""
    return BY_NUMPY[numpy_dtype].tensor_type.removeprefix("torch.").removesuffix("Tensor")


def cpp_name(numpy_dtype: np.dtype) -> str:
    """How other messages write a dtype: ``float``, ``long int``, ..."""
    return CPP_NAMES[numpy_dtype.name]


CPP_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long int",
             "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
             "bool": "bool"}


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both convert to without loss of kind."""
    for position, value in enumerate((type1, type2), 1):
        if not isinstance(value, dtype):
            raise TypeError(f"promote_types(): argument 'type{position}' (position {position}) must be "
                            f"torch.dtype, not {type(value).__name__}")
    return BY_NUMPY[promote(type1.numpy, type2.numpy)]


# What may stand beside a tensor as a plain number.
NUMBERS = (int, float, np.number, np.bool_)
