"""What can be said of a tensor without looking at its numbers: shape, strides, place, kind of number."""
from __future__ import annotations

import math
from operator import index

import numpy as np

from . import dtypes
from .errors import counts_arguments, dim_range, type_name
from .errors import typename as typename  # offered below
from .memory import address, element_strides, geometry, is_in_format, root
from .memory import storage_offset as offset_of
from .tensor import Tensor, readonly, readonly_as


class Size(tuple):
    """The shape of a tensor.  Slices and sums of shapes are shapes again."""

    __slots__ = ()

    def __new__(cls, sizes=()):
        numbers = tuple(sizes)
        for i, n in enumerate(numbers):
            if not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
        return tuple.__new__(cls, map(index, numbers))

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __getitem__(self, place):
        found = tuple.__getitem__(self, place)
        return tuple.__new__(Size, found) if type(place) is slice else found

    def __add__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple.__add__(self, other))


    pass

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

KINDS = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia",
         "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")


class device:
    """The name of a place for tensors, such as ``torch.device("cpu")``; only the CPU can hold any here."""

    __slots__ = ("type", "index")

    def __init__(self, type=None, index=None):
        if type is None:
            raise TypeError("device() received an invalid combination of arguments - got (), but expected "
                            "one of:\n * (torch.device device)\n * (str type, int index = -1)\n")
        if isinstance(type, int):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        kind, _, number = type.partition(":")
        if kind not in KINDS:
            raise RuntimeError(f"Expected one of {', '.join(KINDS)} device type at start of device string: "
                               f"{kind}")
        if number:
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        self.type, self.index = kind, index

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (other.type, other.index) == (self.type, self.index)


class layout:
    """How the numbers of a tensor are laid out: ``torch.strided``."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


class memory_format(layout):
    """In which order the dimensions of a new tensor lie in memory."""

    __slots__ = ()


for kind in (device, layout, memory_format):
    kind.__module__ = "torch"

CPU = device("cpu")
strided = layout("strided")
preserve_format, contiguous_format = memory_format("preserve_format"), memory_format("contiguous_format")
channels_last, channels_last_3d = memory_format("channels_last"), memory_format("channels_last_3d")


def check_device(where, function="tensor"):
    """Refuse any place but the CPU (None means the CPU)."""
    if where is None or where is CPU:
        return
    if not isinstance(where, (str, device)):
        raise TypeError(f"{function}(): argument 'device' must be torch.device, not {type(where).__name__}")
    place = device(where)
    if place.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if place.type != "cpu":
        raise RuntimeError(f"minigrad computes on the CPU only; it has no device '{place}'")

new_size = tuple.__new__

# --- how many, and how laid out -----------------------------------------------------------------------------


@readonly
def shape(self) -> Size:
    """The number of elements along each dimension."""
    return new_size(Size, self._array.shape)


def size(self, dim=None):
    """The shape, or the number of elements along one dimension."""
    return new_size(Size, self._array.shape) if dim is None else self._array.shape[one_dim(self, dim, "size")]


def stride(self, dim=None):
    """How many elements to step over in memory to the next one along each dimension, or along one."""
    steps = element_strides(self._array)
    return steps if dim is None else steps[one_dim(self, dim, "stride")]


def one_dim(self, dim, name):
    if not hasattr(dim, "__index__"):
        raise argument_must_be(name, "dim", 1, dim, "int")
    if not self._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return dim_range(dim, self._array.ndim)


def dim(self) -> int:
    """The number of dimensions."""
    return self._array.ndim


@readonly
def ndim(self) -> int:
    """The number of dimensions."""
    return self._array.ndim


@counts_arguments
def numel(self) -> int:
    """The number of elements."""
    return checked(self, "numel")._array.size


def checked(self, name):
    if not isinstance(self, Tensor):
        raise argument_must_be(name, "input", 0, self)
    return self


def __len__(self):
    if not self._array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


def is_contiguous(self, memory_format=contiguous_format) -> bool:
    """Whether the elements lie in memory row after row without gaps, or as another format says."""
    if memory_format is not contiguous_format:
        return is_in_format(self._array, memory_format)
    return self._array.flags.c_contiguous


def storage_offset(self) -> int:
    """How many elements into its memory the tensor begins."""
    return offset_of(self._array)


def data_ptr(self) -> int:
    """The address of the first element; 0 if there is none."""
    return address(self._array) if self._array.size else 0


def element_size(self) -> int:
    """The number of bytes of one element."""
    return self._array.itemsize


@readonly
def itemsize(self) -> int:
    """The number of bytes of one element."""
    return self._array.itemsize


@readonly
def nbytes(self) -> int:
    """The number of bytes of all elements."""
    return self._array.size * self._array.itemsize


@readonly
def name(self):
    """What ``Variable(..., name=...)`` called the tensor, or None."""
    return None if self._extra is None else self._extra.name


# --- the memory ---------------------------------------------------------------------------------------------

class UntypedStorage:
    """The bytes that a tensor and its views share."""

    def __init__(self, array):
        self._owner = root(array)

    def data_ptr(self) -> int:
        return address(self._owner)


    def nbytes(self) -> int:
        return self._owner.nbytes

    size = __len__ = nbytes

    @property
    def device(self):
        return CPU

    def tolist(self):
        return self._bytes().tolist()

    def __getitem__(self, place):
        return self._bytes().tolist()[place]


    def __repr__(self):
        rows = "".join([f" {byte}\n" for byte in self.tolist()])
        return f"{rows}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"


TYPED_IS_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
    "storage class. This should only matter to you if you are using storages directly.  To access "
    "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()")


def untyped_storage(self) -> UntypedStorage:
    """The memory under this tensor; views share it."""
    return UntypedStorage(self._array)


# --- views --------------------------------------------------------------------------------------------------

@readonly
def _base(self):
    """The tensor that this one is a view of."""
    return None if self._view is None else self._view.base


def _is_view(self) -> bool:
    """Whether this tensor is a view of another."""
    return self._view is not None


# --- kind and place -----------------------------------------------------------------------------------------

@counts_arguments
def is_floating_point(self) -> bool:
    """Whether the numbers are floats."""
    return checked(self, "is_floating_point")._array.dtype.kind == "f"


def is_tensor(obj) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def never(self) -> bool:
    """False: there are no such tensors here."""
    return False


@property
def real(self):
    """The tensor itself; what is assigned is written into it."""
    return self


@real.setter
def real(self, value):
    if not isinstance(value, (Tensor, *dtypes.NUMBERS)):
        raise TypeError(f"can't assign a {type_name(value)} to a {self.dtype.tensor_type}")
    self[...] = value


def result_type(tensor1, tensor2) -> dtypes.dtype:
    """The dtype that an operation on these two, tensors or numbers, would have."""
    return dtypes.BY_NUMPY[dtypes.result_dtype(*[v._array if isinstance(v, Tensor) else v
                                                 for v in (tensor1, tensor2)])]


def is_inference(self) -> bool:
    """Whether the tensor was made inside ``inference_mode``."""
    return self.is_inference()


def can_cast(from_, to) -> bool:
    """Whether an in-place operation may store results of dtype `from_` in a tensor of dtype `to`."""
    return dtypes.can_cast(from_.numpy, to.numpy)


nelement, ndimension = numel, dim
is_conj = is_neg = is_pinned = is_shared = never

METHODS = """
numel is_floating_point is_conj is_neg
"""
METHODS_ONLY = """
shape size stride dim ndim ndimension nelement __len__ is_contiguous storage_offset data_ptr
element_size itemsize nbytes untyped_storage _base _is_view is_pinned is_shared real name
"""
FUNCTIONS_ONLY = """
is_tensor is_inference result_type can_cast typename Size device layout memory_format strided preserve_format contiguous_format
channels_last channels_last_3d
"""
OPERATORS = {'device': readonly_as('device', lambda self: CPU), 'layout': readonly_as('layout', lambda self: strided), **{name: readonly_as(name, never) for name in ('is_cuda', 'is_sparse', 'is_quantized', 'is_meta', 'is_mps', 'is_mkldnn', 'is_nested', 'is_sparse_csr', 'is_xpu')}, 'is_cpu': readonly_as('is_cpu', lambda self: True)}
