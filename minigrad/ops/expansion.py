"""Repetition and sum: ``expand`` repeats numbers without copying them, ``sum`` adds them up.

Each is the gradient of the other. A number that was repeated collects the gradients of all its copies; a
number that was added to others passes the whole gradient on to each of them.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..memory import as_strided_array
from ..errors import common_shape, dim_range
from .formulas import shape_of
from .shape import _view, sizes_of, unsqueeze_multiple

add_reduce = np.add.reduce
ALL_DIMS = object()     # what `dim` is where a call names none: another node than for ``dim=None``


# --- repetition ---------------------------------------------------------------------------------------------

@shares_memory
@differentiable("ExpandBackward0", self=lambda grad, self_shape: sum_to(grad, self_shape))
def _expand(self, size):
    lead = len(size) - self.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({dtypes.BY_NUMPY[self.dtype].tensor_type}{{{list(self.shape)}}}, size={list(size)}): the "
            f"number of sizes provided ({len(size)}) must be greater or equal to the number of dimensions in "
            f"the tensor ({self.ndim})")
    strides = [0] * lead
    for old, wanted, stride in zip(self.shape, size[lead:], self.strides):
        if wanted != old:
            if wanted == -1:
                size = (*size[:len(strides)], old, *size[len(strides) + 1:])
            elif old == 1:
                stride = 0
            else:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) must match the existing size ({old}) at "
                    f"non-singleton dimension {len(strides)}.  Target sizes: {list(size)}.  Tensor sizes: "
                    f"{list(self.shape)}")
        strides.append(stride)
    if min(size, default=0) < 0:
        raise negative_size(size, lead, self.ndim)
    if self.flags.forc:         # the quick way, which NumPy offers only for memory without gaps
        return np.ndarray(size, self.dtype, self, 0, strides)
    return as_strided_array(self, size, [stride // self.itemsize for stride in strides], 0)


def negative_size(size, lead, ndim):
    for dim in range(lead):
        if size[dim] == -1 and ndim:
            return RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, "
                                f"non-existing dimension {dim}")
    return RuntimeError("numel: integer multiplication overflow")


def expand(self, *size, **named):
    """Return a view in which dimensions of size 1, and new ones in front, are repeated without copying.

    -1 leaves a size as it is.

        torch.tensor([[1.], [2.]]).expand(2, 3)     # tensor([[1., 1., 1.], [2., 2., 2.]])

    Raises:
        RuntimeError: a dimension that is to change has not size 1.
    """
    return _expand(self, sizes_of(size, named, "size"))


def expand_as(self, other):
    """Return ``self.expand(other.shape)``."""
    return _expand(self, other._array.shape)


def broadcast_tensors(*tensors):
    """Return views of the tensors, expanded to the shape to which all of them broadcast."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    common = ()
    for t in tensors:
        common = common_shape(common, t._array.shape)
    return tuple([t if t._array.shape == common else _expand(t, common) for t in tensors])


# --- sum ----------------------------------------------------------------------------------------------------

@differentiable("SumBackward0", self=lambda grad, self_shape: _expand(grad, self_shape))
def _sum(self, dtype=None):
    return np.asarray(add_reduce(self, None, dtype or sum_dtype(self)))


@differentiable("SumBackward1",
                self=lambda grad, self_shape, dim, keepdim: sum_backward(grad, self_shape, dim, keepdim))
def _sum_dim(self, dim, keepdim, dtype=None):
    return np.asarray(add_reduce(self, dim or None, dtype or sum_dtype(self), None, keepdim))


def sum_dtype(array):
    """Return the NumPy dtype of a sum: int64 where integers and bools are added up."""
    return array.dtype if array.dtype.kind == "f" else dtypes.INT64


def sum_backward(grad, sizes, dim, keepdim):
    """Repeat the gradient of a sum over `dim` (none or an empty tuple: over all) for each number added."""
    if dim and not keepdim:
        grad = unsqueeze_multiple(grad, dim, len(sizes))
    return _expand(grad, sizes)


def sum_to(x, shape):
    """Sum over the dimensions that `shape` lacks or has as 1: what undoes broadcasting."""
    given = shape_of(x)
    if given == shape:
        return x
    if not shape:
        return _sum(x)
    lead = len(given) - len(shape)
    dims = (*range(lead), *[i for i, n in enumerate(shape, lead) if n == 1 and given[i] != 1])
    if dims:
        x = _sum_dim(x, dims, True)
    return _view(x, shape) if lead else x


def sum(self, dim=ALL_DIMS, keepdim=False, *, dtype=None):
    """Return the sum of all numbers, or the sums over the dimension(s) `dim`.

        torch.tensor([[1., 2.], [3., 4.]]).sum(0)       # tensor([4., 6.])

    Integers and bools are added up in int64.
    """
    dtype = () if dtype is None else (dtypes.numpy_of(dtype),)
    if dim is ALL_DIMS and not keepdim:
        return _sum(self, *dtype)
    return _sum_dim(self, dims_of(dim, self._array.ndim), keepdim, *dtype)


def sum_to_size(self, *size):
    """Return the tensor summed to a shape that broadcasts to its own.

    Raises:
        RuntimeError: the shape does not broadcast to that of the tensor.
    """
    size, given = sizes_of(size), self._array.shape
    lead = len(given) - len(size)
    if lead < 0 or any([n not in (1, m) for n, m in zip(size, given[lead:])]):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(given)}}}.")
    return sum_to(self, size)


def dims_of(dim, ndim):
    """Return `dim` (a number, several, or None for all) as a tuple that NumPy takes, or None.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.
    """
    if dim is None:
        return None
    dims = sizes_of((dim,))
    places = [dim_range(d, ndim) for d in dims]
    if len(set(places)) < len(places):
        twice = next(d for i, d in enumerate(places) if d in places[:i])
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return dims if ndim else ()


METHODS = "sum"
METHODS_ONLY = "expand expand_as sum_to_size"
FUNCTIONS_ONLY = "broadcast_tensors"
