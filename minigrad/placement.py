"""Where a tensor lives and how it is laid out: on the CPU, in strides; what else can be asked is refused."""
from __future__ import annotations

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


FUNCTIONS_ONLY = """
device layout memory_format strided preserve_format contiguous_format channels_last channels_last_3d
"""
