"""minigrad: PyTorch's automatic differentiation on NumPy arrays, small enough to read.

    import minigrad as torch
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    (x * x).sum().backward()
    x.grad                                      # tensor([2., 4., 6.])
"""
from math import e, inf, nan, pi
from sys import modules

from . import autograd, random
from .dtypes import PUBLIC
from .errors import closed
from .methods import FUNCTIONS
from .tensor import Tensor

__version__ = "0.1.0"
__all__ = ["Tensor", "autograd", "e", "inf", "nan", "pi", "random"] + list(PUBLIC) + list(FUNCTIONS)

globals().update(PUBLIC)
globals().update(FUNCTIONS)

offer, __dir__ = closed(__name__, [*__all__, "load", "save"], lazy=("nn", "optim", "utils"))


def __getattr__(name):
    """Load what not every program needs when it is asked for: importing minigrad stays quick."""
    if name in ("load", "save"):
        return getattr(offer("utils").serialization, name)
    return offer(name)


if "IPython" in modules:        # tracebacks then show the lines of the notebook alone
    from . import viz
