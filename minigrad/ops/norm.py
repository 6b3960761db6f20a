"""The norm, the length of a vector: (sum |x|^p)^(1/p), for p = 2 the usual length."""
import math

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import short_name
from .choosing import zero_where
from .declaring import shape_of
from .dimensions import keep_dims
from .expansion import add_reduce, dims_of
from .piecewise import sgn
from .reduction import count_along, share_evenly


def norm_backward(grad, self, ord, result, dim, keepdim):
    """Return the gradient of (sum |x|^p)^(1/p); 0, not nan, where the norm is 0."""
    if ord == 0:
        return None     # a count does not change with the numbers
    shape = shape_of(self)
    grad = keep_dims(grad, dim, shape, keepdim)
    result = keep_dims(result, dim, shape, keepdim)
    if ord == 1:
        return sgn(self) * grad
    if ord == 2:
        return grad * zero_where(result == 0, self / result)
    size = abs(self)
    if math.isinf(ord):
        largest = (size == result) | (size != size)
        return sgn(self) * share_evenly(grad, largest, dim)
    if ord > 2:
        scaled = self * size ** (ord - 2)
    else:
        scaled = sgn(self) * zero_where(size == 0, size ** (ord - 1))
    return scaled * zero_where(result == 0, grad / result ** (ord - 1))


@differentiable("LinalgVectorNormBackward0", self=norm_backward)
def _norm(self, ord, dim, keepdim):
    if self.dtype.kind != "f":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {short_name(self.dtype)}")
    if math.isinf(ord) and not dim and not self.size:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor "
            "because the operation does not have an identity")
    dim = dim or None
    size = np.abs(self)
    if ord == 0:
        return add_reduce(size != 0, dim, self.dtype, None, keepdim)
    if ord == -math.inf:
        return np.minimum.reduce(size, dim, None, None, keepdim)
    # A single number is its own norm.  Its power might be too large, or too small.
    if ord == math.inf or count_along(self.shape, dim) == 1:
        return np.maximum.reduce(size, dim, None, None, keepdim)
    return add_reduce(size ** ord, dim, None, None, keepdim) ** (1 / ord)


def norm(self, p="fro", dim=None, keepdim=False):
    """Return (sum |x|^p)^(1/p) of all numbers, or along the dimension(s) `dim`.

        torch.tensor([3., 4.]).norm()       # tensor(5.)

    "fro" means p = 2; infinity gives the largest |x|.  Raises RuntimeError for ints.
    """
    if p is None or isinstance(p, str) and p == "fro":
        p = 2
    elif type(p) not in (int, float):
        p = float(p)        # a number of NumPy would turn float32 into float64
    result = _norm(self, p, dims_of(dim, self._array.ndim), keepdim)
    if p == 0 and result._node is not None:
        result._node._is_plain = False      # on arrays, no formula returns None
    return result


METHODS = "norm"
