"""Is this gradient right?  Nudge every input a little, and compare with what backward says.

    numerical[i, j]  =  (f(x + eps e_i) - f(x - eps e_i))_j / (2 eps)     a row of differences for each input
    analytical[i, j] =  gradient of output j with respect to input i      a backward pass for each output

It samples one point: passing does not prove a formula right, failing proves it wrong.
"""
from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ..creation import empty
from ..errors import without
from ..tensor import Tensor, wrap
from .function import Function
from .grad_mode import enable_grad
from .gradients import grad

NONDETERMINISM = (
    "\n\nNOTE: If your op relies on non-deterministic operations i.e., it is listed "
    "here:\nhttps://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html\nthis failure "
    "might be expected.\n\nIf you are adding a new operator, please file an issue and then use one of "
    "the\nworkarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.\nIf the "
    "test\n- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck\n  with "
    "`nondet_tol=<tol>` as a keyword argument.\n- is OpInfo-based (e.g., in test_ops_gradients.py), then "
    "modify the OpInfo for the test\n  to have `gradcheck_nondet_tol=<tol>`.\n- is a Module test (e.g., in "
    "common_nn.py), then modify the corresponding\n  module_test entry to have "
    "`gradcheck_nondet_tol=<tol>`\n")


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` when a check fails."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True,
              fast_mode=False, masked=None) -> bool:
    """Compare the gradients of ``func(*inputs)`` with central differences, element by element.

    Args:
        func: takes tensors, returns a tensor or a tuple of them.
        inputs: one tensor or a tuple; those that require gradients should be float64.
        eps: how far each element is nudged to both sides.
        atol, rtol: ``|analytical - numerical| <= atol + rtol * |numerical|`` must hold everywhere.
        raise_exception: raise, or return False.
        nondet_tol: how much two runs of the same backward pass may differ.
        check_undefined_grad: also try what happens when no gradient arrives at an output.
        check_grad_dtypes: gradients must have the dtypes of their inputs.
        check_batched_grad: nothing to do, for a batch of gradients is computed one by one here.
        fast_mode: compare one random combination of all derivatives in place of each of them.

    Raises:
        GradcheckError: the gradients differ; the message shows both Jacobians.
        ValueError: no input requires a gradient.
        NotImplementedError: a check of forward mode was asked for; minigrad has none.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_forward_ad:
        raise NotImplementedError("minigrad has no forward-mode AD, which check_forward_ad=True would test")
    try:
        return check(func, as_tuple(inputs), Tolerances(eps, rtol, atol, nondet_tol, check_grad_dtypes),
                     check_undefined_grad, fast_mode, masked)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3,
                  gen_non_contig_grad_outputs=False, raise_exception=True, nondet_tol=0.0,
                  check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
                  check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False) -> bool:
    """Check the gradients of the gradients: `gradcheck` of the function that returns the first ones.

    `grad_outputs` are the vectors for the first pass; random ones if None.  Otherwise as `gradcheck`.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, wanted in (("check_undefined_grad", check_undefined_grad),
                         ("check_batched_grad", check_batched_grad)):
        if wanted and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = tuple([random_like(output, gen_non_contig_grad_outputs)
                              for output in differentiable_outputs(func(*inputs))])
    else:
        grad_outputs = as_tuple(grad_outputs)
    count = len(grad_outputs)
    requires = [isinstance(x, Tensor) and x.requires_grad for x in (*inputs, *grad_outputs)]

    def first_gradients(*args):
        args = [x.requires_grad_() if wanted else x for x, wanted in zip(args, requires)]
        outputs = differentiable_outputs(func(*args[:-count]))
        wanted = [x for x, w in zip(args[:-count], requires) if w]
        gradients = grad(outputs, wanted, args[-count:], create_graph=True, allow_unused=True)
        return tuple([g for g in gradients if g is not None])

    return gradcheck(first_gradients, (*inputs, *grad_outputs), eps=eps, atol=atol, rtol=rtol,
                     fast_mode=fast_mode, raise_exception=raise_exception, nondet_tol=nondet_tol,
                     check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
                     check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
                     check_backward_ad=check_rev_over_rev, masked=masked)


class Tolerances(NamedTuple):
    """How far to nudge, and how far apart numbers may be."""
    eps: float
    rtol: float
    atol: float
    nondet: float
    dtypes: bool        # gradients must have the dtypes of their inputs


def check(func, inputs, tolerances, check_undefined_grad, fast_mode, masked):
    check_inputs(inputs)
    results = func(*inputs)
    outputs = differentiable_outputs(results)
    results = as_tuple(results)
    if fast_mode:
        from .gradcheck_fast import compare_projections
        compare_projections(func, inputs, results, outputs, tolerances)
    elif outputs:
        compare_jacobians(func, inputs, results, outputs, tolerances)
    else:
        check_constant(numerical_jacobians(func, inputs, results, tolerances.eps))
    if outputs:
        check_multiplied(outputs, differentiable_inputs(inputs), masked)
        if check_undefined_grad:
            check_undefined(func, inputs, outputs)
    return True


def compare_jacobians(func, inputs, results, outputs, tolerances):
    """Every derivative of every output, both ways."""
    numerical = numerical_jacobians(func, inputs, results, tolerances.eps)
    numerical = [row for row, result in zip(numerical, results) if result.requires_grad]
    for i, output in enumerate(outputs):
        for j, (a, n) in enumerate(zip(checked_jacobians(inputs, output, tolerances), numerical[i])):
            if not np.allclose(a, n, tolerances.rtol, tolerances.atol):
                raise GradcheckError(mismatch(i, j, n, a))


def mismatch(i, j, numerical, analytical):
    return (f"Jacobian mismatch for output {i} with respect to input "
            f"{j},\nnumerical:{wrap(np.asarray(numerical))}\nanalytical:{wrap(np.asarray(analytical))}\n")


# --- the two Jacobians --------------------------------------------------------------------------------------

def numerical_jacobians(func, inputs, results, eps):
    """For each floating-point result, for each differentiable input, the difference quotients [input
    element, result element]."""
    jacobians = [[] for result in results if result._array.dtype.kind == "f"]
    for tensor in differentiable_inputs(inputs):
        rows = [difference_quotients(func, inputs, tensor, place, eps)
                for place in np.ndindex(tensor._array.shape)]
        floating = [result for result in results if result._array.dtype.kind == "f"]
        for k, (jacobian, result) in enumerate(zip(jacobians, floating)):
            array = np.zeros((tensor._array.size, result._array.size), result._array.dtype)
            for number, row in enumerate(rows):
                array[number] = row[k]
            jacobian.append(array)
    return jacobians


def difference_quotients(func, inputs, tensor, place, eps, step=None):
    """For each result, how it changes per unit when `tensor` is nudged at `place` to both sides by `step`."""
    array = tensor._array
    before = array[place].copy()
    step = eps if step is None else step
    array[place] = before - step
    below = [one.clone() for one in as_tuple(func(*inputs))]
    array[place] = before + step
    above = [one.clone() for one in as_tuple(func(*inputs))]
    array[place] = before
    quotients = []
    for low, high in zip(below, above):
        check_alike(low, high, eps, "" if place is ... else f"on index {place} ")
        quotients.append(((high - low) / (2 * eps))._array.ravel())
    return quotients


def check_alike(low, high, eps, where):
    for what, one, other in (("shape", low.shape, high.shape), ("dtype", low.dtype, high.dtype)):
        if one != other:
            raise AssertionError(f"Expected `func` to return outputs with the same {what} when inputs are "
                                 f"perturbed {where}by {eps}, but got: {what}s {one} and {other}.")


def pulled_back(inputs, output, start):
    """The gradients of `output` from `start`, with respect to the differentiable inputs."""
    return grad(output, inputs, wrap(start.copy()), retain_graph=True, allow_unused=True)


def analytical_rows(inputs, output):
    """The gradients of each element of `output`."""
    rows = []
    for place in np.ndindex(output._array.shape):
        start = np.zeros(output._array.shape, output._array.dtype)
        start[place] = 1
        rows.append(pulled_back(inputs, output, start))
    return rows


def stacked(inputs, rows):
    """The rows as one Jacobian for each input; and whether dtypes and shapes are those of the inputs."""
    jacobians, types_ok, sizes_ok = [], True, True
    for k, tensor in enumerate(inputs):
        jacobian = np.zeros((tensor._array.size, len(rows)), tensor._array.dtype)
        for j, row in enumerate(rows):
            if row[k] is None:
                continue
            array = row[k]._array
            if array.shape != tensor._array.shape:
                sizes_ok = False
                continue
            types_ok &= array.dtype == tensor._array.dtype
            jacobian[:, j] = array.ravel()
        jacobians.append(jacobian)
    return jacobians, types_ok, sizes_ok


def checked_jacobians(inputs, output, tolerances, rows=analytical_rows):
    """The analytical Jacobians, computed twice: the same pass must give the same numbers."""
    wanted = differentiable_inputs(inputs)
    once, types_ok, sizes_ok = stacked(wanted, rows(wanted, output))
    again, _, _ = stacked(wanted, rows(wanted, output))
    if not types_ok and tolerances.dtypes:
        raise GradcheckError("Gradient has dtype mismatch")
    if not sizes_ok:
        raise GradcheckError("Analytical gradient has incorrect size")
    if any([a.size and np.abs(a - b).max() > tolerances.nondet for a, b in zip(once, again)]):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
            "times gives different values, although analytical gradient matches numerical gradient.The "
            f"tolerance for nondeterminism was {tolerances.nondet}." + NONDETERMINISM)
    return once


# --- the other checks ---------------------------------------------------------------------------------------

def check_inputs(inputs):
    any_requires = False
    for i, one in enumerate(inputs):
        if not isinstance(one, Tensor) or not one.requires_grad:
            continue
        any_requires = True
        if one._array.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or "
                "complex. ", stacklevel=2)
        if any([stride == 0 and size > 1 for stride, size in zip(one.stride(), one.shape)]):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck.")
    if not any_requires:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them "
                         "have requires_grad=True.")


def check_constant(jacobians):
    """A function without differentiable outputs must not depend on its inputs."""
    if any([(jacobian != 0).any() for row in jacobians for jacobian in row]):
        raise GradcheckError("Numerical gradient for function expected to be zero")


def check_multiplied(outputs, inputs, masked):
    """With zeros coming in, zeros must come out."""
    zeros = [wrap(np.zeros_like(output._array)) for output in outputs]
    for g, tensor in zip(grad(outputs, inputs, zeros, allow_unused=True), inputs):
        if g is None:
            continue
        if not (np.allclose(g._array, 0, 1e-5, 1e-8) if masked else (g._array == 0).all()):
            raise GradcheckError("backward not multiplied by grad_output")
        if g._array.dtype != tensor._array.dtype:
            raise GradcheckError("grad is incorrect type")
        if g._array.shape != tensor._array.shape:
            raise GradcheckError("grad is incorrect size")


def check_undefined(func, inputs, outputs):
    """Backward must cope when no gradient reaches one of the outputs, or any."""
    wanted = differentiable_inputs(inputs)
    choices = [set(range(len(outputs)))]
    if len(outputs) > 1:
        choices += [{i} for i in range(len(outputs))]
    for undefined in choices:
        fresh = differentiable_outputs(func(*inputs))
        with enable_grad():
            fresh = [UndefinedGrad.apply(output) if i in undefined else output
                     for i, output in enumerate(fresh)]
        zeros = [wrap(np.zeros_like(output._array)) for output in fresh]
        try:
            gradients = grad(fresh, wanted, zeros, allow_unused=True)
        except RuntimeError as error:
            warn_undefined()
            raise GradcheckError(
                'Expected backward function to handle undefined output grads. Please look at "Notes about '
                'undefined output gradients" in "tools/autograd/derivatives.yaml"') from error
        if any(g is not None and (g._array != 0).any() for g in gradients):
            warn_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or "
                "zero. Please "
                'look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"')


def warn_undefined():
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but "
        "it may break existing callers of this function. If this is true for you, you can call this function "
        "with "
        '"check_undefined_grad=False" to disable the feature', stacklevel=2)


# --- small things -------------------------------------------------------------------------------------------

def as_tuple(value):
    if isinstance(value, tuple):
        return value
    return tuple(value) if isinstance(value, list) else (value,)


def differentiable_inputs(inputs):
    return [one for one in inputs if isinstance(one, Tensor) and one.requires_grad]


def differentiable_outputs(outputs):
    return tuple([one for one in as_tuple(outputs) if one.requires_grad])


def random_like(tensor, noncontiguous):
    """Numbers between -1 and 1, as a leaf."""
    shape = list(tensor.shape)
    if noncontiguous and shape:
        shape[-1] *= 2
    made = empty(shape, dtype=tensor.dtype).uniform_(-1, 1)
    if noncontiguous and shape:
        made = made[..., ::2]
    return made.requires_grad_()


class UndefinedGrad(Function):
    """Passes its input through, and no gradient back."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return None


def __getattr__(name):
    """Old names, loaded when they are asked for."""
    if name in ("get_numerical_jacobian", "get_analytical_jacobian"):
        from . import gradcheck_old
        return getattr(gradcheck_old, name)
    return without(__name__)(name)
