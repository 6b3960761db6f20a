"""gradcheck's fast mode: in place of every derivative, one random combination of all of them, ``v J u``.

    numerical:   nudge the whole input along u, and weigh the change of the output with v       two calls
    analytical:  one backward pass from v, and the product of what arrives with u
"""
from __future__ import annotations

import numpy as np

from ..generator import Generator
from ..tensor import wrap
from .gradcheck import (
    GradcheckError,
    checked_jacobians,
    difference_quotients,
    differentiable_inputs,
    mismatch,
    numerical_jacobians,
    pulled_back,
)

IN_FAST_MODE = (
    "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. "
    "See: https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we "
    "recompute numerical and analytical jacobians in slow mode:\n\nNumerical:\n "
    "{numerical}\nAnalytical:\n{analytical}\n\nThe max per-element difference (slow mode) is: "
    "{difference}.\n")

SLOW_MODE_AGREES = (
    "Fast gradcheck failed but element-wise differences are small. This means that the\ntest might've passed "
    "in slow_mode!\n\nIf you are adding a new operator, please file an issue and then use one of "
    "the\nworkarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck:\n\nIf the "
    "test\n- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n  with "
    "`fast_mode=False` as a keyword argument.\n- is OpInfo-based (e.g., in test_ops_gradients.py), then "
    "modify the OpInfo for the test\n  to have `gradcheck_fast_mode=False`\n- is a Module test (e.g., in "
    "common_nn.py), then modify the corresponding\n  module_test entry to have `gradcheck_fast_mode=False`")


def compare_projections(func, inputs, results, outputs, tolerances):
    """``v J u`` both ways, for each pair of an output and an input."""
    wanted, generator = differentiable_inputs(inputs), Generator()
    directions = [unit_vector(tensor, generator) for tensor in wanted]
    weights = [unit_vector(output, generator) for output in outputs]
    changes = [difference_quotients(func, inputs, tensor, ..., tolerances.eps,
                                    u.reshape(tensor._array.shape) * tolerances.eps)
               for tensor, u in zip(wanted, directions)]
    if not outputs:
        for change in changes:
            if any([one.size and np.abs(one).max() > tolerances.nondet for one in change]):
                raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    floating = [result._array.dtype.kind == "f" for result in results]
    changes = [[one for one, is_floating in zip(change, floating) if is_floating] for change in changes]

    analytical = []
    for output, v in zip(outputs, weights):
        start = v.reshape(output._array.shape)
        rows = checked_jacobians(inputs, output, tolerances,
                                 lambda wanted, output, start=start: [pulled_back(wanted, output, start)])
        analytical.append([row[:, 0] @ u for row, u in zip(rows, directions)])
    for i, u in enumerate(directions):
        for j, v in enumerate(weights):
            numerical = (v * changes[i][j]).sum()
            atol = tolerances.atol * float(u.sum()) * float(v.sum())
            if not np.allclose(analytical[j][i], numerical, tolerances.rtol, atol):
                raise GradcheckError(mismatch(j, i, numerical, analytical[j][i])
                                     + slow_comparison(func, inputs, outputs, i, j, tolerances))


def unit_vector(tensor, generator):
    from ..random_ops import rand  # made of operations, which need this package
    vector = rand(tensor._array.size, generator=generator)._array.astype(tensor._array.dtype)
    return vector / np.sqrt((vector * vector).sum())


def slow_comparison(func, inputs, outputs, i, j, tolerances):
    """All derivatives of output j with respect to input i, for the message."""
    numerical = numerical_jacobians(func, inputs, outputs, tolerances.eps)[j][i]
    analytical = checked_jacobians(inputs, outputs[j],
                                   tolerances._replace(nondet=float("inf"), dtypes=False))[i]
    text = IN_FAST_MODE.format(numerical=wrap(numerical), analytical=wrap(analytical),
                               difference=np.abs(numerical - analytical).max())
    close = wrap(analytical).allclose(wrap(numerical), tolerances.rtol, tolerances.atol)
    return text + SLOW_MODE_AGREES if close else text
