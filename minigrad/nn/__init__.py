"""``torch.nn``: modules, the parameters they train, and the functions they compute."""
from ..errors import without
from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Parameter

__getattr__ = without(__name__)
