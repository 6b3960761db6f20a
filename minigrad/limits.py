"""What numbers a dtype can hold, ``torch.finfo`` and ``torch.iinfo``; and the numbers that have a name."""
from __future__ import annotations

import math

import numpy as np

from . import dtypes


class finfo:
    """The limits of a floating-point dtype (by default the default one)."""

    def __init__(self, type=None):
        type = dtypes.BY_NUMPY[dtypes.Default.numpy] if type is None else type
        if not isinstance(type, dtypes.dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not "
                            f"{type.__class__.__name__}")
        if not type.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                            "'torch.finfo'")
        info = np.finfo(type.numpy)
        self.bits, self.dtype = info.bits, type.name
        self.eps, self.min, self.max = float(info.eps), float(info.min), float(info.max)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(f"1e-{info.precision}")

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
                f"eps={self.eps:g}, smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type):
        if not isinstance(type, dtypes.dtype):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not "
                            f"{type.__class__.__name__}")
        if type.is_floating_point:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                            "'torch.iinfo'")
        if type is dtypes.bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        info = np.iinfo(type.numpy)
        self.bits, self.dtype, self.min, self.max = info.bits, type.name, int(info.min), int(info.max)

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


# --- numbers with a name ------------------------------------------------------------------------------------

e, pi, inf, nan = math.e, math.pi, math.inf, math.nan
newaxis = None

FUNCTIONS_ONLY = "finfo iinfo e pi inf nan newaxis"
