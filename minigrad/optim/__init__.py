"""``torch.optim``: ways to change parameters by their gradients."""
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .adaptive import ASGD, Adadelta, Adagrad, RMSprop, Rprop
from .optimizer import Optimizer
from .sgd import SGD


def __getattr__(name):
    """Load ``lr_scheduler`` when it is first asked for."""
    if name == "lr_scheduler":
        import importlib
        return importlib.import_module(f"{__name__}.lr_scheduler")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
