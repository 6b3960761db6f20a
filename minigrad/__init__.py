"""minigrad: PyTorch's automatic differentiation on NumPy arrays, small enough to read.

    import minigrad as torch
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    (x * x).sum().backward()
    x.grad                                      # tensor([2., 4., 6.])
"""
from . import autograd, methods, random
from .autograd.anomaly_mode import is_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .dtypes import PUBLIC, dtype, get_default_dtype, promote_types, set_default_dtype
from .errors import closed
from .ops import return_types
from .tensor import Tensor

__version__ = "0.1.0"

globals().update(PUBLIC)
globals().update(methods.FUNCTIONS)

__all__ = [
    "Tensor", "autograd", "dtype", "enable_grad", "get_default_dtype", "inference_mode",
    "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled", "no_grad",
    "promote_types", "random", "return_types", "set_default_dtype",
    "set_grad_enabled", *PUBLIC, *methods.FUNCTIONS]
offer, __dir__ = closed(__name__, [*__all__, "load", "save"], lazy=("nn", "optim", "utils"))


def __getattr__(name):
    """Load what not every program needs when it is asked for: importing minigrad stays quick."""
    if name in ("load", "save"):
        return getattr(offer("utils").serialization, name)
    return offer(name)
