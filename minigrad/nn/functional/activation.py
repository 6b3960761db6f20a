"""The bends of a network as functions with PyTorch's keywords: relu, sigmoid, softmax and relatives."""
from __future__ import annotations

import warnings

from ...arguments import function_form, handing_on
from ...errors import dim_range, only_number, refuse_unless_tensor
from ...ops import (pointwise)  # noqa
from ...ops import (pointwise)  # noqa
from ...ops import (reductions)  # noqa




def relu(input, inplace=False):
    """The larger of each number and 0."""
    return input.relu_() if inplace else pointwise.relu(input)


def tanh(input):
    """The hyperbolic tangent."""
    return input.tanh()


def sigmoid(input):
    """1 / (1 + e ** -x)."""
    return input.sigmoid()


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """e ** x along `dim`, divided by its sum."""
    dim = chosen_dim("softmax", input, dim, _stacklevel)
    return input.softmax(dim, dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of softmax, exact also where softmax is nearly 0."""
    dim = chosen_dim("log_softmax", input, dim, _stacklevel)
    return input.log_softmax(dim, dtype)


def chosen_dim(name, input, dim, stacklevel):
    """The dimension that PyTorch picks, with a warning, if none is given."""
    if dim is not None:
        return dim
    ndim = input.dim()
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
                  "dim=X as an argument.", UserWarning, stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


__all__ = ['log_softmax', 'relu', 'sigmoid', 'softmax', 'tanh']
