"""``torch.optim``: ways to change parameters by their gradients."""
from ..errors import without
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD


def __dir__():
    return [*globals(), "LBFGS", "lr_scheduler"]


def __getattr__(name):
    """Load what fewer programs need when it is first asked for."""
    if name == "lr_scheduler":
        import importlib
        return importlib.import_module(f"{__name__}.{name}")
    if name == "LBFGS":
        from .lbfgs import LBFGS
        return LBFGS
    return without(__name__)(name)
