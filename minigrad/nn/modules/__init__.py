"""The modules, by kind."""
from .containers import ModuleDict, ModuleList, Sequential
from .layers import Dropout, Embedding, Flatten, Identity, Linear, ReLU, Sigmoid, Softmax, Tanh
from .losses import BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from .module import Module
from .normalization import BatchNorm1d, LayerNorm

__all__ = [name for name in globals() if name[0].isupper()]
