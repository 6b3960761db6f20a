"""minigrad: PyTorch's automatic differentiation on NumPy arrays, small enough to read.

    import minigrad as torch
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    (x * x).sum().backward()
    x.grad                                      # tensor([2., 4., 6.])
"""
from importlib.util import find_spec
from math import e, inf, nan, pi
from pkgutil import extend_path
from sys import modules

from . import autograd
from .dtypes import PUBLIC
from .methods import FUNCTIONS, LATER_FUNCTIONS, load_function
from .tensor import Tensor
from .vocabulary import offer_names

__version__ = "0.2.0"
# minigrad.viz is a distribution of its own, and may be installed in another folder.
__path__ = extend_path(__path__, __name__)
globals().update(PUBLIC)
globals().update(FUNCTIONS)
__getattr__, __dir__ = offer_names(
    __name__,
    ["Tensor", "autograd", "e", "inf", "nan", "pi",
     *PUBLIC, *FUNCTIONS, *LATER_FUNCTIONS],
    submodules=["cuda", "nn", "optim", "random", "utils"],
    load=load_function)
__all__ = list(__dir__())

if "IPython" in modules and find_spec(".viz", __name__):
    from . import viz  # tracebacks then show the lines of the notebook alone
