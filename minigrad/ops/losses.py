"""How far an answer is from the one wanted: the sums of squares, the logarithms, and their gradients.

``reduction`` is PyTorch's number for what happens to the losses of the single elements: 0 leaves them, 1
takes their mean, 2 their sum.  The names with a leading underscore are called by position; ``nn.functional``
has the public forms.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows, elementwise_layout
from ..errors import short_name
from .reductions import add_up  # noqa
from ..tensor import Tensor
from . import (pointwise)  # noqa
from .pointwise import sigmoid  # noqa

from .either import ones_beside, shape_of, size_of
from .pointwise import abs, exp  # noqa
from .pointwise import alike, float_only  # noqa

NONE, MEAN, SUM = 0, 1, 2


def reduced(losses, reduction, *operands):
    """The losses of all elements together, of an array; or each of them, laid out as the `operands` are."""
    if reduction == NONE:
        return elementwise_layout(losses, *operands) if operands else losses
    total = add_up(losses)
    if reduction == MEAN:
        return total / losses.dtype.type(losses.size)
    return total


def share(x, reduction):
    """What one element's loss counts in the result."""
    return 1.0 / size_of(x) if reduction == MEAN and size_of(x) else 1.0


def averaged(grad, reduction, x):
    """In a formula: divide by the number of elements if the loss was their mean."""
    return grad / size_of(x) if reduction == MEAN else grad


def summed(x):
    return x.sum() if isinstance(x, Tensor) else add_up(x)


# --- squares ------------------------------------------------------------------------------------------------

@differentiable("MseLossBackward0",
                self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
                target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction))
def _mse_loss(self, target, reduction):
    self, target = alike(self, target)
    float_only(self, "mse_cpu")
    distance = self - target
    return reduced(distance * distance, reduction, self, target)


def _mse_curvature(grad, grad_output, self, reduction):
    return averaged(grad * grad_output * 2, reduction, self)


@differentiable("MseLossBackwardBackward0",
                grad_output=lambda grad, self, target, reduction:
                mse_loss_backward(grad, self, target, reduction),
                self=_mse_curvature,
                target=lambda grad, grad_output, self, reduction:
                -_mse_curvature(grad, grad_output, self, reduction))
def mse_loss_backward(grad_output, self, target, reduction):
    """2 * (self - target) * grad, divided by the number of elements for a mean."""
    self, target = alike(self, target)
    distance = self - target
    distance *= distance.dtype.type(2 * share(distance, reduction))
    return by_rows(distance * grad_output)


# --- squares near, straight lines far -----------------------------------------------------------------------


# --- probabilities of yes and no ----------------------------------------------------------------------------


EPSILON = 1e-12     # added to a probability before dividing by it


# --- signs --------------------------------------------------------------------------------------------------


