"""Repetition and sum: ``expand`` repeats numbers without copying them, ``sum`` adds them up.

Each is the gradient of the other.  A number that was repeated collects the gradients of all its
copies; a number that was added to others passes the whole gradient on to each of them.
"""
from functools import reduce

from numpy import add, asarray, generic, ndarray

from .. import dtypes
from ..autograd.engine import sum_to as sum_array_to
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import common_shape
from ..memory import as_strided_array
from .shape import _view, distinct_dims, sizes_of, unsqueeze_multiple

add_reduce = add.reduce
ALL_DIMS = ...          # what `dim` is where a call names none: another node than for ``dim=None``


# --- repetition ---------------------------------------------------------------------------------

@shares_memory
@differentiable("ExpandBackward0", self=lambda grad, self_shape: sum_to(grad, self_shape))
def _expand(self, size):
    given, lead = self.shape, len(size) - self.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({dtypes.BY_NUMPY[self.dtype].tensor_type}{{{list(given)}}}, "
            f"size={list(size)}): the number of sizes provided ({len(size)}) must be greater or "
            f"equal to the number of dimensions in the tensor ({self.ndim})")
    if size and min(size) < 0:
        if -1 in size[:lead] and given:
            raise RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, "
                               f"non-existing dimension {size.index(-1)}")
        size = *size[:lead], *[old if n == -1 else n for n, old in zip(size[lead:], given)]
        if min(size) < 0:
            raise RuntimeError("numel: integer multiplication overflow")
    strides = [*[0] * lead, *self.strides]
    for dim in reversed(range(lead, len(size))):
        old, wanted = given[dim - lead], size[dim]
        if old != wanted:
            if old != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) must match the existing size "
                    f"({old}) at non-singleton dimension {dim}.  Target sizes: {list(size)}.  "
                    f"Tensor sizes: {list(given)}")
            strides[dim] = 0
    if self.flags.forc:         # the quick way, which NumPy offers only for memory without gaps
        return ndarray(size, self.dtype, self, 0, strides)
    return as_strided_array(self, size, [stride // self.itemsize for stride in strides], 0)


def expand(self, *size, **named):
    """Return a view that repeats dimensions of size 1, or new ones in front; -1 keeps a size.

        torch.tensor([[1.], [2.]]).expand(2, 3)     # tensor([[1., 1., 1.], [2., 2., 2.]])
    """
    return _expand(self, sizes_of(size, named))


def expand_as(self, other):
    """Return ``self.expand(other.shape)``."""
    return _expand(self, other._array.shape)


def broadcast_tensors(*tensors):
    """Return views of the tensors, expanded to the shape to which all of them broadcast."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    common = reduce(common_shape, [x._array.shape for x in tensors], ())
    return tuple([x if x._array.shape == common else _expand(x, common) for x in tensors])


# --- sum ----------------------------------------------------------------------------------------

@differentiable("SumBackward0", self=lambda grad, self_shape: _expand(grad, self_shape))
def _sum(self, dtype=None):
    return asarray(add_reduce(self, None, dtype or sum_dtype(self)))


@differentiable("SumBackward1", self=lambda grad, self_shape, dim, keepdim: sum_backward(
    grad, self_shape, dim, keepdim))
def _sum_dim(self, dim, keepdim, dtype=None):
    return asarray(add_reduce(self, dim or None, dtype or sum_dtype(self), None, keepdim))


def sum_dtype(array):
    """Return the NumPy dtype of a sum: int64 where integers or bools are added up."""
    return array.dtype if array.dtype.kind == "f" else dtypes.INT64


def sum_backward(grad, sizes, dim, keepdim):
    """Repeat the gradient of a sum over `dim` for each number that was added."""
    return _expand(grad if keepdim or not dim else unsqueeze_multiple(grad, dim, len(sizes)), sizes)


def sum_to(x, shape):
    """Sum over the dimensions that `shape` lacks or has as 1: what undoes broadcasting."""
    if isinstance(x, (ndarray, generic)):
        return sum_array_to(x, shape)
    given = x._array.shape
    if not shape and given:
        return _sum(x)
    lead = len(given) - len(shape)
    dims = (*range(lead), *[i for i, n in enumerate(shape, lead) if n == 1 and given[i] != 1])
    x = _sum_dim(x, dims, True) if dims else x
    return _view(x, shape) if lead else x


def sum(self, dim=ALL_DIMS, keepdim=False, *, dtype=None, axis=ALL_DIMS, keepdims=False):
    """Return the sum of all numbers, or the sums over the dimension(s) `dim`.

        torch.tensor([[1., 2.], [3., 4.]]).sum(0)       # tensor([4., 6.])

    Integers and bools are added up in int64.  NumPy's names of the arguments are accepted too.
    """
    dim, keepdim = dim if axis is ALL_DIMS else axis, keepdim or keepdims
    dtype = () if dtype is None else (dtypes.numpy_of(dtype),)
    if dim is ALL_DIMS and not keepdim:
        return _sum(self, *dtype)
    return _sum_dim(self, dims_of(dim, self._array.ndim), keepdim, *dtype)


def dims_of(dim, ndim):
    """Return `dim` (a number, several, or None for all) as a tuple that NumPy takes, or None."""
    if dim is None or type(dim) is int and -ndim <= dim < ndim:
        return dim if dim is None else (dim,)
    dims = sizes_of((dim,))
    distinct_dims(dims, ndim)
    return dims if ndim else ()


METHODS = "sum"
METHODS_ONLY = "expand expand_as"
FUNCTIONS_ONLY = "broadcast_tensors"
OPERATORS = {"sum_to_size": sum_to}
