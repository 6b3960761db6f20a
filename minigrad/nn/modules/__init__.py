"""The modules, by kind."""
from .containers import ModuleDict, ModuleList, Sequential
from .layers import (
    BatchNorm1d,
    Dropout,
    Embedding,
    Flatten,
    Identity,
    LayerNorm,
    Linear,
    ReLU,
    Sigmoid,
    Softmax,
    Tanh,
)
from .losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
)
from .module import Module

__all__ = [name for name in globals() if name[0].isupper()]
