"""Many numbers into one: sum, mean, prod, var, norm, logsumexp, and the running forms cumsum and cumprod."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from .shape import expand


@differentiable("SumBackward0", self=lambda grad, self_shape: expand(grad, self_shape))
def _sum_all(self):
    return np.add.reduce(self, axis=None)


def sum(self):
    return _sum_all(self)


METHODS = "sum"
