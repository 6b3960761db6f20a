"""Numbers moved to one bound: clamp_min and clamp_max.

``clamp`` with one bound does the same; PyTorch's nodes have other names.
"""
import operator

import numpy as np

from ..dtypes import NUMBERS, in_result_dtype
from ..ops.choosing import choose_where
from ..ops.declaring import declare, with_in_place_form, wrong_type
from ..tensor import Tensor


def _clamp_min(self, min):
    return np.maximum(*in_result_dtype(self, min))


def _clamp_max(self, max):
    return np.minimum(*in_result_dtype(self, max))


def where_inside(grad, self, bound, is_inside):
    """Return the gradients of the numbers that were not moved, 0 elsewhere."""
    return choose_where(is_inside(self, bound), grad, 0)


min_number = declare(
    "ClampMinBackward0", _clamp_min,
    self=lambda grad, self, min: where_inside(grad, self, min, operator.ge))
min_tensor = declare(
    "ClampMinBackward1", _clamp_min,
    self=lambda grad, self, min: where_inside(grad, self, min, operator.ge),
    min=lambda grad, self, min: where_inside(grad, self, min, operator.lt))
max_number = declare(
    "ClampMaxBackward0", _clamp_max,
    self=lambda grad, self, max: where_inside(grad, self, max, operator.le))
max_tensor = declare(
    "ClampMaxBackward1", _clamp_max,
    self=lambda grad, self, max: where_inside(grad, self, max, operator.le),
    max=lambda grad, self, max: where_inside(grad, self, max, operator.gt))


def fitting(name, bound, of_number, of_tensor):
    """Return the operation for a bound, a number or a tensor; TypeError for others."""
    if isinstance(bound, Tensor):
        return of_tensor
    if isinstance(bound, NUMBERS):
        return of_number
    raise wrong_type(f"clamp_{name}", name, bound, "Tensor or Number")


@with_in_place_form
def clamp_min(self, min):
    """Return the larger of each number and `min`, which is a number or a tensor.

        torch.tensor([-1., 2.]).clamp_min(0)        # tensor([0., 2.])
    """
    return fitting("min", min, min_number, min_tensor), self, min


@with_in_place_form
def clamp_max(self, max):
    """Return the smaller of each number and `max`, which is a number or a tensor.

        torch.tensor([-1., 2.]).clamp_max(0)        # tensor([-1.,  0.])
    """
    return fitting("max", max, max_number, max_tensor), self, max


IN_PLACE = METHODS = "clamp_min clamp_max"
