"""Products of batches of matrices: bmm, and what ``@`` does with three dimensions."""
import math

from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..errors import common_shape
from ..ops.declaring import check_dtype, expect_tensors
from ..ops.dimensions import transpose
from ..ops.matmul import matmul
from ..ops.shape import _unsafe_view


@differentiable(
    "BmmBackward0",
    self=lambda grad, mat2: _bmm(grad, transpose(mat2, 1, 2)),
    mat2=lambda grad, self: _bmm(transpose(self, 1, 2), grad))
def _bmm(self, mat2):
    return self @ mat2


def bmm(self, mat2):
    """Return the products of the matrices of two batches, one by one.

        torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)).shape
        # torch.Size([5, 2, 4])

    Raises RuntimeError for other dimensions, sizes that don't fit and two dtypes.
    """
    expect_tensors("bmm", input=self, mat2=mat2)
    a, b = self._array, mat2._array
    for name, array in (("batch1", a), ("batch2", b)):
        if array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if b.shape[:2] != (len(a), a.shape[2]):
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{len(a)}, {a.shape[2]}] but got: [{len(b)}, {b.shape[1]}].")
    check_dtype(a, "b", "bmm")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected scalar type {short_name(a.dtype)} but found "
            f"{short_name(b.dtype)}")
    return _bmm(self, mat2)


# --- matmul -------------------------------------------------------------------------

def matmul_of_batches(self, other):
    """Return self @ other, of which one has more than two dimensions."""
    if is_folded(self, other):
        return multiply_folded(self, other)
    return multiply_batches(self, other)


def is_folded(self, other):
    """Return whether the matrices of a batch are stacked into one tall matrix."""
    batch, smaller = self._array, other
    if self._array.ndim < other._array.ndim:
        batch, smaller = other._array.swapaxes(-1, -2), self
    if batch.ndim < 3 or smaller._array.ndim > 2:
        return False
    if smaller.requires_grad:
        return True             # one gradient, rather than one for every matrix
    if self._array.ndim == 2:
        return False
    # Otherwise only where stacking copies nothing: each step spans all that is inside.
    steps = [stride * n for stride, n in zip(batch.strides[1:-1], batch.shape[1:-1])]
    return not batch.size or list(batch.strides[:-2]) == steps


def multiply_folded(self, other):
    """Multiply a batch and one matrix or vector as two matrices."""
    is_turned = other._array.ndim > self._array.ndim
    if is_turned:               # A @ batch is the transpose of batch.T @ A.T
        smaller = self.t() if self._array.ndim == 2 else self
        self, other = other.transpose(-2, -1), smaller
    *lead, columns = self._array.shape
    rows = self.reshape((math.prod(lead), columns))
    product = matmul(rows, other)
    result = _unsafe_view(product, (*lead, *other._array.shape[1:]))
    if is_turned and other._array.ndim == 2:
        return result.transpose(-2, -1).contiguous()
    return result


def multiply_batches(self, other):
    """Multiply matrix by matrix, after broadcasting the leading dimensions."""
    a, b = self._array, other._array
    if a.ndim == b.ndim == 3 and len(a) != len(b):
        if len(a) == 1 and self.requires_grad:
            return matmul(self.squeeze(0), other)
        if len(b) == 1 and other.requires_grad:
            return matmul(self, other.squeeze(0))
    lead = common_shape(a.shape[:-2], b.shape[:-2])
    left_sizes = (1, *a.shape) if a.ndim == 1 else a.shape[-2:]
    left = batch_of(self, lead, left_sizes)
    right = batch_of(other, lead, b.shape[-2:])
    if b.ndim == 1:
        result = bmm(left, right.unsqueeze(2)).squeeze(-1)
    else:
        result = bmm(left, right)
    rows, columns = a.shape[-2:-1], b.shape[-2:][1:]
    return _unsafe_view(result, (*lead, *rows, *columns))


def batch_of(x, lead, sizes):
    """Return a tensor broadcast to the leading dimensions, which are run into one."""
    expanded = x.expand(*lead, *sizes)
    return expanded.reshape(math.prod(lead), *sizes)


METHODS = "bmm"
