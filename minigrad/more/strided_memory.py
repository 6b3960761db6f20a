"""Tensors by their memory: as_strided takes any part of it, resize_ replaces it."""
import numpy as np

from ..autograd.views import as_strided as _as_strided
from ..errors import offered
from ..memory import extent, geometry, root
from ..ops.shape import sizes_of
from ..state import local
from ..tensor import bump_version


def as_strided(self, size, stride, storage_offset=None):
    """Return a view of this tensor's memory by shape, strides and offset, in elements.

        torch.arange(6.).as_strided((2, 2), (3, 1))     # tensor([[0., 1.], [3., 4.]])

    Raises a RuntimeError where the view would reach beyond the memory.
    """
    size, stride = sizes_of((size,)), sizes_of((stride,))
    source = geometry(self._array)
    offset = source[2] if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got "
            f"strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    itemsize = self._array.itemsize
    needed = extent(size, stride, offset) * itemsize
    available = root(self._array).nbytes
    if needed > available:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset "
            f"{offset}, and itemsize {itemsize} requiring a storage size of {needed} "
            f"are out of bounds for storage of size {available}")
    return _as_strided(self, size, stride, storage_offset, source)


def resize_(self, *sizes):
    """Give the tensor another size, in new memory; what is added may be anything."""
    if self.requires_grad and not local.state.inference:
        raise offered(RuntimeError("cannot resize variables that require grad"))
    self._array = np.resize(self._array, sizes_of(sizes))
    bump_version(self)
    return self


METHODS = "as_strided"
METHODS_ONLY = "resize_"
