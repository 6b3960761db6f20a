"""Dimensions removed, and all of them in another order: squeeze, permute, ``x.T``."""
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, warn_once
from ..ops.declaring import numpy_names
from ..ops.dimensions import _squeeze_dim, unsqueeze_to, without_ones
from ..ops.shape import sizes_of
from ..tensor import readonly

# --- squeeze --------------------------------------------------------------------------

@shares_memory
@differentiable(
    "SqueezeBackward0",
    self=lambda grad, self_shape: unsqueeze_to(
        grad, tuple(range(len(self_shape))), self_shape))
def _squeeze_all(self):
    return self.reshape([size for size in self.shape if size != 1])


@shares_memory
@differentiable("SqueezeBackward2", self=unsqueeze_to)
def _squeeze_dims(self, dim):
    return without_ones(self, dim)


@numpy_names
def squeeze(self, *dims, dim=None):
    """Return a view without dimensions of size 1: all, or those among the given ones.

        torch.zeros(1, 3, 1).squeeze()          # shape (3,)
        torch.zeros(1, 3, 1).squeeze(0)         # shape (3, 1)
    """
    if dim is None and not dims:
        return _squeeze_all(self)
    if dim is None:
        dim = dims[0] if len(dims) == 1 else dims
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims(self, dim)
    return _squeeze_dim(self, dim)


# --- permute --------------------------------------------------------------------------

@shares_memory
@differentiable(
    "PermuteBackward0",
    self=lambda grad, dims: _permute(grad, inverse_order(dims)))
def _permute(self, dims):
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not "
            "match the length of the desired ordering of dimensions i.e. input.dim() "
            f"= {self.ndim} is not equal to len(dims) = {len(dims)}")
    places = [dim_range(dim, self.ndim) for dim in dims]
    if len(set(places)) < len(places):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(places)


def inverse_order(dims):
    """Return the order of dimensions that undoes an order."""
    places = [dim % len(dims) for dim in dims]
    return tuple([places.index(place) for place in range(len(dims))])


def permute(self, *order, dims=None):
    """Return a view with the dimensions in another order.

        torch.zeros(2, 3, 4).permute(2, 0, 1)   # shape (4, 2, 3)
    """
    return _permute(self, sizes_of(order, dims))


def reversed_dims(self):
    """Return a view with the dimensions in reverse order: ``x.T`` of a matrix."""
    ndim = self._array.ndim
    if not ndim:
        warn_once(
            "Tensor.T is deprecated on 0-D tensors. This function is the identity in "
            "these cases.")
    elif ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their "
            "shape is deprecated and it will throw an error in a future release. "
            "Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions "
            "of a tensor.")
    return _permute(self, tuple(reversed(range(ndim))))


METHODS = "squeeze permute"
ATTRIBUTES = {"T": readonly(reversed_dims, "T")}
