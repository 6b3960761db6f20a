"""The modules, by kind."""
from .activation import ReLU, Sigmoid, Tanh
from .container import ModuleList, Sequential
from .dropout import Dropout
from .linear import Linear
from .loss import CrossEntropyLoss, MSELoss
from .module import Module

__all__ = ['CrossEntropyLoss', 'Dropout', 'Linear', 'MSELoss', 'Module', 'ModuleList', 'ReLU',
           'Sequential', 'Sigmoid', 'Tanh']
