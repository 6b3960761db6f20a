"""A module's parameters and buffers in another dtype; all places but the CPU are refused."""
from __future__ import annotations

from ...autograd.grad_mode import no_grad
from ...conversion import read_to_arguments
from ...creation import empty_like
from ...dtypes import float16, float32, float64
from ...attributes import check_device


def _apply(self, fn, recurse=True):
    """Replace every parameter's data (and gradient's) by what `fn` makes of it, and every buffer."""
    if recurse:
        for module in self.children():
            module._apply(fn)
    with no_grad():
        for param in [p for p in self._parameters.values() if p is not None]:
            param.data = fn(param)
            if param.grad is not None:
                param.grad.data = fn(param.grad)
    for name, buffer in self._buffers.items():
        if buffer is not None:
            self._buffers[name] = fn(buffer)
    return self


def to(self, *args, **kwargs):
    """Convert floating-point parameters and buffers: ``to(dtype)``, ``to(device)``, ``to(tensor)``."""
    dtype, _ = read_to_arguments(args, kwargs)
    if dtype is None:
        return self
    if not dtype.is_floating_point:
        raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got desired "
                        f"dtype={dtype}")
    return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)


def cpu(self):
    """Nothing to do: all is on the CPU already."""
    return self


def cuda(self, device=None):
    """Refused: there is no such device here."""
    check_device("cuda")


def to_empty(self, *, device, recurse=True):
    """Parameters and buffers with no values promised, on `device`."""
    return self._apply(lambda t: empty_like(t, device=device), recurse)


def share_memory(self):
    """Nothing to do: threads share all memory."""
    return self


def type(self, dst_type):
    """Convert all parameters and buffers to this dtype."""
    return self._apply(lambda t: t.type(dst_type))


def float(self):
    """Convert floating-point parameters and buffers to float32."""
    return self.to(float32)


def double(self):
    """Convert floating-point parameters and buffers to float64."""
    return self.to(float64)


def half(self):
    """Convert floating-point parameters and buffers to float16."""
    return self.to(float16)
