"""``torch.nn.functional``: what modules compute, as functions of their inputs and parameters."""
from .activation import *  # noqa: F403
from .convolution import *  # noqa: F403
from .distance import *  # noqa: F403
from .layers import *  # noqa: F403
from .loss import *  # noqa: F403
