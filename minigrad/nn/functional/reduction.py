"""The ``reduction`` argument of the losses, and the two older arguments that it replaced."""
from __future__ import annotations

import warnings

from ...ops import nll
from ...ops.losses import MEAN, NONE, SUM
from ...state import local

NUMBERS = {"none": NONE, "mean": MEAN, "sum": SUM}


def number_of(reduction):
    """PyTorch's number for a reduction; ValueError if there is no such reduction."""
    number = NUMBERS.get(reduction)
    if number is not None:
        return number
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.",
                      UserWarning, stacklevel=4)
        return MEAN
    raise ValueError(f"{reduction} is not a valid value for reduction")


def chosen(size_average, reduce, reduction):
    """The reduction that the old arguments mean, with a warning; `reduction` if neither is given."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        meant = "none"
    else:
        meant = "sum" if size_average is False else "mean"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.",
                  UserWarning, stacklevel=4)
    return meant


def together(losses, reduction):
    """The losses of all elements as one, of a tensor."""
    number = number_of(reduction)
    return losses.mean() if number == MEAN else losses.sum() if number == SUM else losses


KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
    "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
    "behave the same as 'batchmean' in the next major release.")
