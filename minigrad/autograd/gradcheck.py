"""Check gradients: nudge every input a little; compare with what backward computes.

    numerical[i, j]     (f(x + eps e_i) - f(x - eps e_i))_j / (2 eps)
                        two calls for each input i
    analytical[i, j]    the gradient of output j with respect to input i
                        a backward pass for each output j

The check is made at one point; a formula that passes may be wrong elsewhere.
"""
import sys

import numpy as np

from ..errors import warn
from ..tensor import Tensor, wrap
from .gradients import as_tuple, grad

NO_INPUT = (
    "gradcheck expects at least one input tensor to require gradient, but none of them "
    "have requires_grad=True.")
NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or "
    "complex. This check will likely fail if all the inputs are not of double "
    "precision floating point or complex. ")
OVERLAPS = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs "
    "that are non-overlapping to be able to compute the numerical gradients "
    "correctly. You should call .contiguous on the input before passing it to "
    "gradcheck.")
NOT_CONSTANT = "Numerical gradient for function expected to be zero"
NOT_LINEAR = "backward not multiplied by grad_output"
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and "
    "grad_output multiple times gives different values, although analytical "
    "gradient matches numerical gradient.The tolerance for nondeterminism was {}.")
MISMATCH = (
    "Jacobian mismatch for output {} with respect to input {},\n"
    "numerical:{}\nanalytical:{}\n")
OUTPUT_CHANGES = (
    "Expected `func` to return outputs with the same {what} when inputs are "
    "perturbed on index {index} by {eps}, but got: {what}s {low} and {high}.")


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` when a check fails."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3,
              raise_exception=True, nondet_tol=0.0, fast_mode=False,
              check_undefined_grad=True, check_grad_dtypes=False,
              check_batched_grad=False, check_backward_ad=True):
    """Compare the gradients of ``func(*inputs)`` with difference quotients.

    >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
    >>> gradcheck(torch.exp, x)
    True

    Every element is nudged by `eps` to both sides, which needs float64.  Everywhere
    ``|analytical - numerical| <= atol + rtol * |numerical|`` must hold, and two
    backward passes must agree to `nondet_tol`.  The other options make no difference.

    Raises ValueError if no input requires a gradient.  If a check fails, raises
    GradcheckError, or returns False with ``raise_exception=False``.
    """
    inputs = as_tuple(inputs)
    check_inputs(inputs)
    try:
        compare_jacobians(func, inputs, eps, atol, rtol, nondet_tol)
        check_linear(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, **options):
    """Check the gradients of the gradients: `gradcheck` the function that returns them.

    It starts from `grad_outputs`, or from random numbers.
    """
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = requiring_grad(func(*inputs))
        grad_outputs = [random_like(output) for output in outputs]
    count = len(inputs)

    def gradients(*args):
        inputs, grad_outputs = args[:count], args[count:]
        outputs = requiring_grad(func(*inputs))
        found = grad(outputs, requiring_grad(inputs), grad_outputs,
                     create_graph=True, allow_unused=True)
        return tuple([one for one in found if one is not None])

    return gradcheck(gradients, (*inputs, *as_tuple(grad_outputs)), **options)


def random_like(tensor):
    random = wrap(np.empty_like(tensor._array)).uniform_(-1, 1)
    return random.requires_grad_()


def requiring_grad(values):
    """Return those of the values that are tensors and require a gradient."""
    return [value for value in as_tuple(values)
            if isinstance(value, Tensor) and value.requires_grad]


def floating(values):
    """Return those of the tensors that hold floating-point numbers."""
    return [value for value in as_tuple(values) if value._array.dtype.kind == "f"]


# --- the checks -----------------------------------------------------------------------

def check_inputs(inputs):
    """Refuse inputs that cannot be nudged element by element; warn of coarse ones."""
    if not requiring_grad(inputs):
        raise ValueError(NO_INPUT)
    for i, value in enumerate(inputs):
        if not requiring_grad([value]):
            continue
        if value._array.dtype != np.float64:
            warn(NOT_DOUBLE.format(i))
        for stride, size in zip(value.stride(), value.shape):
            if stride == 0 and size > 1:
                raise RuntimeError(OVERLAPS.format(i))


def check_linear(func, inputs):
    """Raise if a gradient does not become zero when those it starts from are zero."""
    outputs = requiring_grad(func(*inputs))
    zeros = [wrap(np.zeros_like(output._array)) for output in outputs]
    found = grad(outputs, requiring_grad(inputs), zeros, materialize_grads=True)
    if any([gradient._array.any() for gradient in found]):
        raise GradcheckError(NOT_LINEAR)


def compare_jacobians(func, inputs, eps, atol, rtol, nondet_tol):
    """Compare all derivatives; a result without history must not depend on inputs."""
    nudged = requiring_grad(inputs)
    results = floating(func(*inputs))
    numerical = [numerical_jacobians(func, inputs, one, results, eps) for one in nudged]
    numbers = [k for k, result in enumerate(results) if result.requires_grad]
    if not numbers:
        if any([jacobian.any() for row in numerical for jacobian in row]):
            raise GradcheckError(NOT_CONSTANT)
    for i, k in enumerate(numbers):
        analytical = analytical_jacobians(nudged, results[k])
        again = analytical_jacobians(nudged, results[k])
        for first, second in zip(analytical, again):
            if (abs(first - second) > nondet_tol).any():
                raise GradcheckError(NOT_REENTRANT.format(nondet_tol))
        for j, jacobian in enumerate(analytical):
            expected = numerical[j][k]
            if not np.allclose(jacobian, expected, rtol, atol):
                raise GradcheckError(
                    MISMATCH.format(i, j, wrap(expected), wrap(jacobian)))


# --- the two kinds of Jacobians -------------------------------------------------------

def numerical_jacobians(func, inputs, tensor, results, eps):
    """Return the difference quotients of each result, a row per element of `tensor`."""
    array = tensor._array
    jacobians = [np.zeros((array.size, result._array.size), result._array.dtype)
                 for result in results]
    for row, index in enumerate(np.ndindex(array.shape)):
        before = array[index].copy()
        array[index] = before - eps
        below = arrays_of_results(func, inputs)
        array[index] = before + eps
        above = arrays_of_results(func, inputs)
        array[index] = before
        for jacobian, low, high in zip(jacobians, below, above):
            check_unchanged(low, high, index, eps)
            jacobian[row] = ((high - low) / (2 * eps)).ravel()
    return jacobians


def arrays_of_results(func, inputs):
    """Return copies of the results, because a result may be an input."""
    return [result._array.copy() for result in floating(func(*inputs))]


def check_unchanged(low, high, index, eps):
    """Raise if a result got another shape or dtype between two calls."""
    for what, a, b in (("shape", wrap(low).shape, wrap(high).shape),
                       ("dtype", wrap(low).dtype, wrap(high).dtype)):
        if a != b:
            raise AssertionError(
                OUTPUT_CHANGES.format(what=what, index=index, eps=eps, low=a, high=b))


def analytical_jacobians(inputs, output):
    """Return for each input the gradients of the output's elements, as its columns."""
    array = output._array
    jacobians = [np.zeros((one._array.size, array.size), one._array.dtype)
                 for one in inputs]
    for column, index in enumerate(np.ndindex(array.shape)):
        start = np.zeros_like(array)
        start[index] = 1
        found = grad(output, inputs, wrap(start), retain_graph=True,
                     materialize_grads=True)
        for jacobian, gradient in zip(jacobians, found):
            jacobian[:, column] = gradient._array.ravel()
    return jacobians


# PyTorch has a module and a function of this name; `torch.autograd.gradcheck` is the
# function.  An import would make it the module, so the function stands for the module,
# and what is imported from the module is an attribute of the function.  For the same
# reason autograd/__init__.py asks it for `gradgradcheck`.
gradcheck.gradcheck = gradcheck
gradcheck.gradgradcheck = gradgradcheck
gradcheck.GradcheckError = GradcheckError
sys.modules[__name__] = gradcheck
