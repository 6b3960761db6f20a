"""Padding as a layer: numbers put around the last one, two or three dimensions."""
from __future__ import annotations

from .. import functional
from .module import Module


class _Pad(Module):
    """padding: one number for all sides, or (before, after) for each dimension, the last one first."""

    mode, value, dimensions = "constant", 0.0, 1

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self.dimensions) if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        return functional.pad(input, self.padding, self.mode, self.value if self.mode == "constant" else None)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


def for_dimensions(base, name, mode="constant"):
    """The classes for one, two and three dimensions."""
    return [type(f"{name}Pad{n}d", (base,), {"mode": mode, "dimensions": n, "__module__": __name__,
                                             "__doc__": base.__doc__}) for n in (1, 2, 3)]


ConstantPad1d, ConstantPad2d, ConstantPad3d = for_dimensions(_ConstantPad, "Constant")
ZeroPad1d, ZeroPad2d, ZeroPad3d = for_dimensions(_Pad, "Zero")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = for_dimensions(_Pad, "Reflection", "reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = for_dimensions(_Pad, "Replication", "replicate")
CircularPad1d, CircularPad2d, CircularPad3d = for_dimensions(_Pad, "Circular", "circular")
