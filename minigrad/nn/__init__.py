"""``torch.nn``: modules, the parameters they train, and the functions they compute."""
from ..vocabulary import offer_names
from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Parameter

__all__ = ["Parameter", "functional", "init", "modules", "parameter", "utils"]
__all__ += modules.__all__
__getattr__, __dir__ = offer_names(__name__, __all__)
