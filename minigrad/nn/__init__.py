"""``torch.nn``: modules and what they are made of."""
from ..errors import without
from . import functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter

__getattr__ = without(__name__)
