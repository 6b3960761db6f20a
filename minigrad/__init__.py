"""minigrad: PyTorch's automatic differentiation on NumPy arrays, small enough to read.

    import minigrad as torch
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    (x * x).sum().backward()
    x.grad                                      # tensor([2., 4., 6.])
"""
from . import autograd, methods

from .ops import return_types      # isort: skip   after the operations
from .autograd.anomaly_mode import is_anomaly_enabled, set_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .dtypes import PUBLIC, dtype, get_default_dtype, promote_types, set_default_dtype
from .tensor import Tensor

globals().update(PUBLIC)
globals().update(methods.FUNCTIONS)

from . import random  # noqa: E402   stands on all of the above

LAZY = "nn", "optim", "utils"


def __dir__():
    return [*globals(), *LAZY]


def __getattr__(name):
    """Load what not every program needs when it is first asked for: importing minigrad stays quick."""
    if name in LAZY:
        import importlib
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch' has no attribute {name!r}")
