"""The modules, by kind."""
from ...vocabulary import offer_names
from .layers import (
    CrossEntropyLoss,
    Dropout,
    Flatten,
    Linear,
    MSELoss,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    Tanh,
)
from .module import Module

__all__ = [name for name in globals() if name[0].isupper()]
# The modules that are loaded when first used are those of ``torch.nn``.
__getattr__, __dir__ = offer_names(__name__.removesuffix(".modules"), __all__)
