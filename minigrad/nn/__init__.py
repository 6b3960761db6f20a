"""``torch.nn``: modules, the parameters they train, and the functions they compute."""
from ..errors import closed
from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Parameter

__all__ = modules.__all__ + ["Parameter", "functional", "init", "modules", "parameter", "utils"]
__getattr__, __dir__ = closed(__name__, __all__)
