"""The modules, by kind."""
from .containers import Sequential
from .layers import Dropout, Flatten, Linear, ReLU, Sigmoid, Softmax, Tanh
from .losses import CrossEntropyLoss, MSELoss
from .module import Module

__all__ = [name for name in globals() if name[0].isupper()]
