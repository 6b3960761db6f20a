"""Views of a part by a call instead of brackets: select and narrow."""
from ..errors import dim_range
from ..ops.declaring import numpy_names
from ..ops.indexing import _select, _slice


@numpy_names
def select(self, dim, index):
    """Return a view of one position along a dimension, which disappears.

        torch.tensor([[1, 2], [3, 4]]).select(1, 0)     # tensor([1, 3])
    """
    shape, index = self._array.shape, int(index)
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    place = dim_range(dim, len(shape))
    if not -shape[place] <= index < shape[place]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at "
            f"dimension {place}")
    return _select(self, dim, index)


@numpy_names
def narrow(self, dim, start, length):
    """Return a view of `length` positions along a dimension, from `start` on.

        torch.arange(5).narrow(0, 1, 3)         # tensor([1, 2, 3])
    """
    shape = self._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    start, size = int(start), shape[dim_range(dim, len(shape))]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but "
            f"got {start})")
    if start < 0:
        start += size
    if start + length > size:
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return _slice(self, dim, start, start + length, 1)


METHODS = "select narrow"
