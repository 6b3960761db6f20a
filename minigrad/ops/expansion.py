"""Repetition and sum: ``expand`` repeats numbers without a copy, ``sum`` adds them up.

Each is the gradient of the other.  A number that was repeated collects the gradients of
all its copies; a number that was added to others passes the whole gradient on to each.
"""
from functools import reduce

from numpy import add, asarray, generic, ndarray

from .. import dtypes
from ..autograd.accumulate import sum_array_to
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import common_shape
from ..memory import as_strided_array
from .declaring import expect_list_of_tensors, expect_tensors
from .dimensions import distinct_dims, keep_dims
from .shape import _view, sizes_of

add_reduce = add.reduce         # half the time of np.sum, which only passes on to it


# --- repetition -----------------------------------------------------------------------

@shares_memory
@differentiable(
    "ExpandBackward0", self=lambda grad, self_shape: sum_to(grad, self_shape))
def _expand(self, size):
    given, lead = self.shape, len(size) - self.ndim
    if lead < 0:
        tensor_type = dtypes.BY_NUMPY[self.dtype].tensor_type
        raise RuntimeError(
            f"expand({tensor_type}{{{list(given)}}}, size={list(size)}): the number of "
            f"sizes provided ({len(size)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({self.ndim})")
    has_negative = min(size, default=0) < 0
    if has_negative:
        size = kept_sizes(given, size)
    strides = [0] * len(size)
    for dim in reversed(range(lead, len(size))):
        old = given[dim - lead]
        if size[dim] == old:
            strides[dim] = self.strides[dim - lead]
        elif old != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({size[dim]}) must match the "
                f"existing size ({old}) at non-singleton dimension {dim}.  "
                f"Target sizes: {list(size)}.  Tensor sizes: {list(given)}")
    if has_negative and min(size) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return repeated(self, size, strides)


def kept_sizes(given, size):
    """Return the sizes with the given one for each -1, or raise a RuntimeError."""
    lead = len(size) - len(given)
    if -1 in size[:lead] and given:
        raise RuntimeError(
            "The expanded size of the tensor (-1) isn't allowed in a leading, "
            f"non-existing dimension {size.index(-1)}")
    kept = [old if new == -1 else new for old, new in zip(given, size[lead:])]
    return *size[:lead], *kept


def repeated(array, size, strides):
    """Return an array that repeats numbers: along a stride of 0 they stay the same."""
    if array.flags.forc:
        # Less than half the time of np.broadcast_to, but not for memory with gaps.
        return ndarray(size, array.dtype, array, 0, strides)
    steps = [stride // array.itemsize for stride in strides]
    return as_strided_array(array, size, steps, 0)


def expand(self, *sizes, size=None):
    """Return a view that repeats dimensions of size 1, or new ones in front.

        torch.tensor([[1.], [2.]]).expand(2, 3)     # [[1., 1., 1.], [2., 2., 2.]]

    A size of -1 stays as it is.  Raises RuntimeError where a size other than 1 changes.
    """
    return _expand(self, sizes_of(sizes, size))


def expand_as(self, other):
    """Return ``self.expand(other.shape)``."""
    expect_tensors("expand_as", other=other)
    return _expand(self, other._array.shape)


def broadcast_tensors(*tensors):
    """Return views of the tensors, expanded to the shape to which all broadcast."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    expect_list_of_tensors("broadcast_tensors", tensors)
    common = reduce(common_shape, [x._array.shape for x in tensors], ())
    return tuple([
        x if x._array.shape == common else _expand(x, common) for x in tensors])


# --- sum ------------------------------------------------------------------------------

@differentiable(
    "SumBackward0", self=lambda grad, self_shape: sum_backward(grad, self_shape))
def _sum(self, dtype):
    if dtype is None and self.dtype.kind != "f":
        dtype = dtypes.INT64
    return asarray(add_reduce(self, None, dtype))


@differentiable(
    "SumBackward1",
    self=lambda grad, self_shape, dim, keepdim: (
        sum_backward(grad, self_shape, dim, keepdim)))
def _sum_dim(self, dim, keepdim, dtype):
    if dtype is None and self.dtype.kind != "f":
        dtype = dtypes.INT64
    return asarray(add_reduce(self, dim or None, dtype, None, keepdim))


def sum_backward(grad, sizes, dim=None, keepdim=False):
    """Repeat the gradient of a sum over `dim` for each number that was added."""
    if not isinstance(grad, ndarray):
        return _expand(keep_dims(grad, dim, sizes, keepdim), sizes)
    # An array is repeated at once, by its strides: a tensor needs a view per dimension.
    strides = list(grad.strides) if dim else [0] * len(sizes)
    for summed in sorted([d % len(sizes) for d in dim or ()]):
        if keepdim:
            strides[summed] = 0
        else:
            strides.insert(summed, 0)
    return repeated(grad, sizes, strides)


def sum_to(x, shape):
    """Sum over the dimensions that `shape` lacks or has as 1: undo broadcasting."""
    if isinstance(x, (ndarray, generic)):
        return sum_array_to(x, shape)
    given = x._array.shape
    lead = len(given) - len(shape)
    if not shape:
        return _sum(x, None)
    dims = tuple([dim for dim, size in enumerate(given)
                  if dim < lead or size != 1 == shape[dim - lead]])
    if dims:
        x = _sum_dim(x, dims, True, None)
    return _view(x, shape) if lead else x


def sum_over(self, dim=None, keepdim=False, *, dtype=None, axis=None, keepdims=False):
    """Return the sum of all numbers, or the sums over the dimension(s) `dim`.

        torch.tensor([[1., 2.], [3., 4.]]).sum(0)       # tensor([4., 6.])

    Integers and bools are added up in int64.  `axis` and `keepdims` are NumPy's names.
    """
    if dtype is not None:
        dtype = dtypes.numpy_of(dtype)
    if dim is None:
        dim = axis
    keepdim = keepdim or keepdims
    if dim is None and not keepdim:
        return _sum(self, dtype)
    return _sum_dim(self, dims_of(dim, self._array.ndim), keepdim, dtype)


def dims_of(dim, ndim):
    """Return `dim` (a number, several, None for all) as a tuple for NumPy, or None."""
    if dim is None:
        return None
    if type(dim) is int and -ndim <= dim < ndim:
        return (dim,)
    dims = sizes_of((dim,))
    distinct_dims(dims, ndim)
    return dims if ndim else ()


METHODS = {"sum": sum_over}
METHODS_ONLY = {"expand": expand, "expand_as": expand_as, "sum_to_size": sum_to}
FUNCTIONS_ONLY = "broadcast_tensors"
