"""``torch.optim``: ways to change parameters by their gradients."""
from ..vocabulary import offer_names
from .adam import Adam
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["Adam", "Optimizer", "SGD"]
__getattr__, __dir__ = offer_names(__name__, __all__, submodules=["lr_scheduler"])
