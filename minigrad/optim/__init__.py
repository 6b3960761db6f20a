"""``torch.optim``: ways to change parameters by their gradients."""
from ..errors import without
from . import lr_scheduler
from .adagrad import Adagrad
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .rmsprop import RMSprop
from .sgd import SGD

__getattr__ = without(__name__)
