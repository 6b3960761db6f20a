"""``torch.optim``: ways to change parameters by their gradients."""
from . import lr_scheduler
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .adaptive import ASGD, Adadelta, Adagrad, RMSprop, Rprop
from .optimizer import Optimizer
from .sgd import SGD
