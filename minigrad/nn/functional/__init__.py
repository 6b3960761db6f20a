"""``torch.nn.functional``: what modules compute, as functions of their inputs and parameters."""
from ...errors import without
from .activation import *  # noqa: F403
from .layers import *  # noqa: F403
from .loss import *  # noqa: F403

__getattr__ = without(__name__)
