"""The same numbers under another shape: view, reshape, flatten, squeeze, expand and their relatives.

Nothing is computed here; a view says only how far to step through the memory for each dimension.
"""
from __future__ import annotations

from numpy import ndarray

from .. import dtypes
from ..arguments import explain
from ..autograd.differentiable import differentiable
from ..autograd.views import shares_memory
from ..memory import contiguous_strides, element_strides, is_in_format
from ..errors import counts_arguments, dim_range, listed_number, whole_number
from ..tensor import Tensor
from .broadcast import sum_to
from .layout import inferred_shape, laid, sizes_of, strides_for_view

# --- another shape ------------------------------------------------------------------------------------------


@shares_memory
@differentiable("ViewBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _view(self, size):
    if self.flags.c_contiguous:
        try:
            array = self.reshape(size)
        except ValueError:
            inferred_shape(size, self.size)     # says what is wrong
            raise
        if array.shape != size:
            if -1 not in size:
                inferred_shape(size, self.size)
        elif 1 in size and self.shape == size:
            return laid(self, size, contiguous_strides(size))
        return array
    shape = inferred_shape(size, self.size)
    strides = strides_for_view(self, shape)
    if strides is None:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one "
                           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
    return laid(self, shape, strides)


@shares_memory
@differentiable("ReshapeAliasBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _reshape_alias(self, size, stride):
    return laid(self, size, stride)


@differentiable("UnsafeViewBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _unsafe_view(self, size):
    return self.reshape(size)


def view(self, *size, **keywords):
    """The same numbers in the same memory under another shape; one size may be -1.  Or, given a dtype, their
    bytes read as numbers of that type (without gradient).

    Raises:
        RuntimeError: the numbers do not lie so that this is possible (`reshape` copies then), or their count
        differs.
    """
    try:
        if len(size) == 1 and type(size[0]) is not int or not size:
            value = view_argument(size, **keywords)
            if isinstance(value, dtypes.dtype):
                return viewed_as(self, value)
            return _view(self, sizes_of((value,)))
        return _view(self, size)
    except TypeError as error:
        raise explain("view", (self, *size), keywords, method=True) or error from None


def view_argument(given, size=None, dtype=None):
    return given[0] if given else dtype if size is None else size


def view_as(self, other):
    """``self.view(other.size())``."""
    return _view(self, tensor_argument("view_as", other)._array.shape)


@counts_arguments
def reshape(self, *shape, **keywords):
    """The same numbers under another shape: a view where `view` can make one, otherwise a copy."""
    given = shape
    try:
        if keywords or not shape:
            shape = reshape_arguments(shape, **keywords)
        elif type(shape[0]) is not int:
            shape = sizes_of(shape)
        return _reshape(self, shape)
    except TypeError as error:
        raise explain("reshape", (self, *given), keywords, method=True) or error from None


def _reshape(self, shape):
    if not isinstance(self, Tensor):
        return self.reshape(shape)
    array = self._array
    if array.flags.c_contiguous:
        return _view(self, shape)
    shape = inferred_shape(shape, array.size)
    strides = strides_for_view(array, shape)
    if strides is None:
        return _unsafe_view(contiguous(self), shape)
    return _reshape_alias(self, shape, strides)


@counts_arguments
def flatten(self, start_dim=0, end_dim=-1):
    """The dimensions from `start_dim` to `end_dim` run into one.  A view if possible."""
    shape = self._array.shape
    start, end = dim_range(start_dim, len(shape)), dim_range(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return _reshape(self, (1,))
    if start == end:
        return self
    count = 1
    for n in shape[start:end + 1]:
        count *= n
    return _reshape(self, (*shape[:start], count, *shape[end + 1:]))


def ravel(self):
    """All numbers in one dimension.  A view if they lie in order."""
    return _view(contiguous(self), (-1,))


# --- dimensions of size 1 -----------------------------------------------------------------------------------

@shares_memory
@differentiable("UnsqueezeBackward0", self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    shape = self.shape
    place = dim_range(dim, len(shape) + 1)
    new = (*shape[:place], 1, *shape[place:])
    if self.flags.c_contiguous:
        return self.reshape(new)
    strides = element_strides(self)
    step = shape[place] * strides[place] if place < len(shape) else 1
    return laid(self, new, (*strides[:place], step, *strides[place:]))


@counts_arguments
def unsqueeze(self, dim):
    """A view with a new dimension of size 1 at `dim`."""
    return _unsqueeze(self, dim)


@shares_memory
@differentiable("SqueezeBackward0",
                self=lambda grad, self_shape: put_back(grad, range(len(self_shape)), self_shape))
def _squeeze_all(self):
    return self.squeeze() if self.ndim else self[...]


@shares_memory
@differentiable("SqueezeBackward1", self=lambda grad, dim, self_shape: put_back(grad, (dim,), self_shape))
def _squeeze_dim(self, dim):
    ndim = self.ndim
    place = dim_range(dim, ndim)
    if ndim and self.shape[place] == 1:
        return self.squeeze(place)
    return self[...]


def put_back(grad, dims, shape):
    """The dimensions of size 1 among `dims` of `shape`, which `squeeze` took away, in their places again."""
    ndim = len(shape)
    for place in sorted([d % ndim for d in dims]) if ndim else ():
        if shape[place] == 1:
            grad = _unsqueeze(grad, place)
    return grad


@counts_arguments
def squeeze(self, *dim, **keywords):
    """A view without the dimensions of size 1, or only without the given ones where their size is 1."""
    if not dim and not keywords:
        return _squeeze_all(self)
    if keywords:
        dim = squeezed(*dim, **keywords)
    elif len(dim) > 1:
        dim = sizes_of(dim, None)
    else:
        dim, = dim
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims(self, sizes_of((dim,)))
    if getattr(dim, "ndim", 0):
        dim = listed_number(dim)
    return _squeeze_dim(self, dim)


# --- repetition without copying -----------------------------------------------------------------------------

@shares_memory
@differentiable("ExpandBackward0", self=lambda grad, self_shape: sum_to(grad, self_shape))
def _expand(self, size):
    given = self.shape
    if self.size == 1 and (not given
                           or -1 not in size) and len(size) >= len(given) and self.flags.c_contiguous:
        if (not given or 1 not in size) and min(size, default=0) >= 0:
            return laid(self, size, (0,) * len(size))           # the commonest case: a number into any shape
    if len(size) == len(given) and self.size and self.flags.forc:
        steps = []                                  # the next: the same dimensions, some of them repeated
        for old, wanted, step in zip(given, size, self.strides):
            if old != wanted:
                if old != 1 or wanted < 1:
                    break
                step = 0
            steps.append(step)
        else:
            return ndarray(size, self.dtype, self, 0, steps)
    return laid(self, *expanded(self, size))


def expanded(array, size):
    """The shape and strides of an array expanded to `size`, in which -1 leaves a dimension as it is."""
    given, steps = array.shape, element_strides(array)
    lead = len(size) - len(given)
    if lead < 0:
        raise RuntimeError(
            f"expand({type_in_errors(array.dtype)}{{{list(given)}}}, size={list(size)}): the number of sizes "
            f"provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor "
            f"({len(given)})")
    shape, strides = list(size), [0] * len(size)
    for i in reversed(range(len(size))):
        if i >= lead:
            old, step = given[i - lead], steps[i - lead]
        else:
            old, step = 1, shape[i + 1] * strides[i + 1] if i + 1 < len(size) else 1
        wanted = size[i]
        if wanted == -1:
            if i < lead and given:
                raise RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, "
                                   f"non-existing dimension {i}")
            shape[i] = wanted = old if i >= lead else -1
        if wanted != old:
            if old != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) must match the existing size ({old}) at "
                    f"non-singleton dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(given)}")
            step = 0
        strides[i] = step
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return tuple(shape), tuple(strides)


def expand(self, *size, **keywords):
    """A view in which dimensions of size 1 are repeated, without copying; -1 leaves a size as it is."""
    given = size
    try:
        if size or "size" in keywords:
            size = sizes_of(size, keywords.get("size"))
        else:
            raise TypeError("no size")
        return _expand(self, size)
    except TypeError as error:
        raise explain("expand", (self, *given), keywords, method=True) or error from None


def expand_as(self, other):
    """``self.expand(other.size())``."""
    return _expand(self, tensor_argument("expand_as", other)._array.shape)


def broadcast_to(self, *size):
    """`expand` under its NumPy name."""
    return _expand(self, sizes_of(size))


# --- the same again -----------------------------------------------------------------------------------------

@shares_memory
@differentiable("AliasBackward0", self=lambda grad: grad)
def alias(self):
    """A view of all of the tensor."""
    return self[...]


def contiguous(self, memory_format=None):
    """The tensor itself if its numbers lie in order without gaps, otherwise a copy that does."""
    if memory_format is not None:
        return self if is_in_format(self._array, memory_format) else _clone_in_format(self, memory_format)
    if self._array.flags.c_contiguous:
        return self
    return _clone_contiguous(self)


@differentiable("CloneBackward0", self=lambda grad: grad)
def _clone_contiguous(self):
    return self.copy(order="C")


# --- arguments ----------------------------------------------------------------------------------------------

def tensor_argument(function, value, name="other", position=1):
    if not isinstance(value, Tensor):
        raise argument_must_be(function, name, position, value)
    return value


def int_argument(function, name, position, value):
    """A whole number, also one of NumPy's or a 0-d tensor of whole numbers."""
    if type(value) is int:
        return value
    try:
        return whole_number(value)
    except TypeError:
        raise argument_must_be(function, name, position, value, "int") from None


METHODS = """
reshape flatten ravel unsqueeze squeeze broadcast_to
"""
METHODS_ONLY = """
view view_as expand expand_as contiguous
"""
