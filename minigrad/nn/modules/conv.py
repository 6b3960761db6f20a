"""Convolution layers: one small weight, used at every place of a sequence or a picture."""
from __future__ import annotations

import math

from ...creation import empty
from .. import functional, init
from ..functional.convolution import n_fold
from ..parameter import Parameter
from .module import Module

MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Module):
    spatial = 2

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
                 bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = [n_fold(v, self.spatial)
                                                        for v in (kernel_size, stride, dilation)]
        self.padding = self._checked_padding(padding)
        if padding_mode != "zeros":
            if padding_mode not in MODES:
                raise ValueError(f"padding_mode must be one of {set(MODES)}, but got padding_mode="
                                 f"'{padding_mode}'")
            raise NotImplementedError("minigrad's convolutions pad with zeros only")
        self.padding_mode, self.transposed, self.output_padding = padding_mode, False, (0,) * self.spatial
        self.weight = Parameter(empty((out_channels, in_channels // groups, *self.kernel_size), device=device,
                                      dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype))
                                if bias else None)
        self.reset_parameters()

    def _checked_padding(self, padding):
        if not isinstance(padding, str):
            return n_fold(padding, self.spatial)
        if padding not in ("valid", "same"):
            raise ValueError(f"Invalid padding string '{padding}', should be one of {{'valid', 'same'}}")
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        return padding

    def reset_parameters(self):
        """Draw first values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = math.prod(self.weight._array.shape[1:])
            if fan_in:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def extra_repr(self):
        shown = (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
                 f"stride={self.stride}")
        if self.padding != (0,) * self.spatial:
            shown += f", padding={self.padding}"
        if self.dilation != (1,) * self.spatial:
            shown += f", dilation={self.dilation}"
        if self.groups != 1:
            shown += f", groups={self.groups}"
        return shown + (", bias=False" if self.bias is None else "")


class Conv1d(_Conv):
    """For sequences (N, C, L); weight (out_channels, in_channels / groups, k)."""

    spatial = 1

    def forward(self, input):
        return functional.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation,
                                 self.groups)


class Conv2d(_Conv):
    """For pictures (N, C, H, W); weight (out_channels, in_channels / groups, h, w)."""

    def forward(self, input):
        return functional.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation,
                                 self.groups)
