"""``torch.optim``: ways to change parameters by their gradients."""
from ..errors import closed
from . import lr_scheduler
from .adagrad import Adagrad
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__all__ = ["Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "SGD", "lr_scheduler"]
__getattr__, __dir__ = closed(__name__, __all__)
