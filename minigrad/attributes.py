"""What is known of a tensor without its numbers: shape, strides, memory, device."""
import math
from operator import index
from types import SimpleNamespace

from . import memory
from .errors import existing_dim
from .tensor import Tensor, readonly

new_tuple = tuple.__new__


class Size(tuple):
    """The shape of a tensor; slices and sums of shapes are shapes again."""
    __slots__ = ()

    def __new__(cls, sizes=()):
        return new_tuple(cls, map(index, sizes))

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return math.prod(self)

    def __getitem__(self, place):
        found = tuple.__getitem__(self, place)
        return new_tuple(Size, found) if type(place) is slice else found

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"


@readonly
def shape(self) -> Size:
    """The number of elements along each dimension."""
    return new_tuple(Size, self._array.shape)


def size(self, dim=None):
    """Return the shape, or the number of elements along one dimension."""
    sizes = new_tuple(Size, self._array.shape)
    return sizes if dim is None else sizes[existing_dim(dim, self._array.ndim)]


def stride(self, dim=None):
    """Return how many elements apart neighbours are in memory, along each dimension."""
    steps = memory.element_strides(self._array)
    return steps if dim is None else steps[existing_dim(dim, self._array.ndim)]


def dim(self) -> int:
    """Return the number of dimensions."""
    return self._array.ndim


def numel(self) -> int:
    """Return the number of elements."""
    return self._array.size


def __len__(self):
    if not self._array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


def is_contiguous(self) -> bool:
    """Return whether the elements are in memory row after row, without gaps."""
    return self._array.flags.c_contiguous


def data_ptr(self) -> int:
    """Return the address of the first element; 0 if there is none."""
    return memory.address(self._array) if self._array.size else 0


def element_size(self) -> int:
    """Return the number of bytes of one element."""
    return self._array.itemsize


def untyped_storage(self):
    """Return the memory that views share: it has ``data_ptr()`` and ``nbytes()``."""
    owner = memory.root(self._array)
    return SimpleNamespace(
        data_ptr=lambda: memory.address(owner),
        nbytes=lambda: owner.nbytes)


def is_tensor(obj) -> bool:
    """Return whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(self) -> bool:
    """Return whether the numbers are floats."""
    return self._array.dtype.kind == "f"


class device(str):
    """The name of a place for tensors: ``torch.device("cpu")`` is the only one."""
    __module__ = "torch"
    type = property(str)

    def __repr__(self):
        return f"device(type='{self}')"


CPU = device("cpu")


def check_device(where):
    """Refuse any device but the CPU; None means the CPU."""
    if where is None or where == "cpu":
        return
    if where.startswith("cuda"):
        raise AssertionError("Torch not compiled with CUDA enabled")
    raise RuntimeError(f"minigrad computes on the CPU only; it has no device '{where}'")


is_inference = Tensor.is_inference

METHODS = "numel is_floating_point is_inference"
METHODS_ONLY = """
shape size stride dim __len__ is_contiguous data_ptr element_size untyped_storage
"""
FUNCTIONS_ONLY = "is_tensor Size device"
ATTRIBUTES = {
    "ndim": readonly(dim, "ndim"),
    "nbytes": readonly(lambda self: self._array.nbytes, "nbytes"),
    "device": readonly(lambda self: CPU, "device"),
    "name": readonly(lambda self: None, "name"),
    "_base": readonly(lambda self: self._view and self._view.base, "_base"),
    "_is_view": lambda self: self._view is not None,
}
