"""The two Jacobians behind ``gradcheck``, under the names by which programs used to ask for them."""
from __future__ import annotations

import functools
import warnings

import numpy as np

from ..tensor import wrap
from .gradcheck import analytical_rows, as_tuple, difference_quotients, differentiable_inputs, stacked


def no_longer_public(function):
    """Warn, whenever it is called, that the function was never meant for others."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        warnings.warn(
            f"`{function.__name__}` was part of PyTorch's private API and not meant to be exposed. We are "
            "deprecating it and it will be removed in a future version of PyTorch. If you have a specific "
            "use for this or feature request for this to be a stable API, please file us an issue at "
            "https://github.com/pytorch/pytorch/issues/new", FutureWarning, stacklevel=2)
        if kwargs.get("grad_out", 1.0) != 1.0:
            raise ValueError(f"Expected grad_out to be 1.0. {function.__name__} no longer supports values of "
                             "grad_out != 1.0.")
        return function(*args, **kwargs)
    return call


@no_longer_public
def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """The Jacobians of the first result of ``fn(inputs)``, by nudging the inputs, or those in `target`."""
    inputs = as_tuple(inputs)
    jacobians = []
    for tensor in differentiable_inputs(inputs if target is None else as_tuple(target)):
        rows = [difference_quotients(lambda *given: fn(given), inputs, tensor, place, eps)[0]
                for place in np.ndindex(tensor._array.shape)]
        jacobians.append(wrap(np.array(rows)))
    return tuple(jacobians)


@no_longer_public
def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """(Jacobians by backward passes, whether two passes agree, and shapes and dtypes are right)."""
    wanted = differentiable_inputs(inputs if isinstance(inputs, (tuple, list)) else (inputs,))
    once, types_ok, sizes_ok = stacked(wanted, analytical_rows(wanted, output))
    again, _, _ = stacked(wanted, analytical_rows(wanted, output))
    same = all([not a.size or np.abs(a - b).max() <= nondet_tol for a, b in zip(once, again)])
    return [wrap(one) for one in once], same, sizes_ok, types_ok
