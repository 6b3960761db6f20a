"""Check gradients: nudge every input a little, and compare with what backward computes.

    numerical[i, j]    (f(x + eps e_i) - f(x - eps e_i))_j / (2 eps): two calls for each input i
    analytical[i, j]   the gradient of output j with respect to input i: a pass for each output j

The check is made at one point; a formula that passes may be wrong elsewhere.
"""
import numpy as np

from ..errors import warn
from ..tensor import Tensor, wrap
from .gradients import as_tuple, grad


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` when a check fails."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              fast_mode=False, check_undefined_grad=True, check_grad_dtypes=False,
              check_batched_grad=False, check_backward_ad=True):
    """Compare the gradients of ``func(*inputs)`` with difference quotients, element by element.

    >>> x = torch.tensor([0.5, 2.], dtype=torch.float64, requires_grad=True)
    >>> gradcheck(torch.exp, x)
    True

    Every element is nudged by `eps` to both sides, which needs float64.  Everywhere
    ``|analytical - numerical| <= atol + rtol * |numerical|`` must hold, and two backward passes
    must agree to `nondet_tol`.  The other options make no difference here.

    Raises ValueError if no input requires a gradient.  If a check fails, raises GradcheckError, or
    returns False with ``raise_exception=False``.
    """
    inputs = as_tuple(inputs)
    check_inputs(inputs)
    try:
        compare_jacobians(func, inputs, eps, atol, rtol, nondet_tol)
        outputs = differentiable(func(*inputs))
        zeros = [wrap(np.zeros_like(one._array)) for one in outputs]
        found = grad(outputs, differentiable(inputs), zeros, materialize_grads=True)
        if any([one._array.any() for one in found]):
            raise GradcheckError("backward not multiplied by grad_output")
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, **options):
    """Check the gradients of the gradients: `gradcheck` of the function that returns the gradients.

    `grad_outputs` are the gradients to start from, random numbers if None.
    """
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = [wrap(np.empty_like(one._array)).uniform_(-1, 1).requires_grad_()
                        for one in differentiable(func(*inputs))]
    grad_outputs, count = as_tuple(grad_outputs), len(inputs)

    def gradients(*args):
        found = grad(differentiable(func(*args[:count])), differentiable(args[:count]),
                     args[count:], create_graph=True, allow_unused=True)
        return tuple([one for one in found if one is not None])

    return gradcheck(gradients, (*inputs, *grad_outputs), **options)


def check_inputs(inputs):
    """Refuse inputs that cannot be nudged element by element, and warn of coarse ones."""
    if not differentiable(inputs):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but "
                         "none of them have requires_grad=True.")
    for i, one in [(i, one) for i, one in enumerate(inputs) if differentiable([one])]:
        if one._array.dtype != np.float64:
            warn(f"Input #{i} requires gradient and is not a double precision floating point or "
                 "complex. This check will likely fail if all the inputs are not of double "
                 "precision floating point or complex. ")
        if any([stride == 0 and size > 1 for stride, size in zip(one.stride(), one.shape)]):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients correctly. "
                "You should call .contiguous on the input before passing it to gradcheck.")


def compare_jacobians(func, inputs, eps, atol, rtol, nondet_tol):
    """Compare the derivatives of all results; of results without a history they must be zero."""
    nudged, results = differentiable(inputs), floating(func(*inputs))
    numerical = [numerical_jacobians(func, inputs, one, results, eps) for one in nudged]
    outputs = [(k, one) for k, one in enumerate(results) if one.requires_grad]
    if not outputs and any([one.any() for row in numerical for one in row]):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    for i, (k, output) in enumerate(outputs):
        once, again = analytical_jacobians(nudged, output), analytical_jacobians(nudged, output)
        if any([(abs(one - other) > nondet_tol).any() for one, other in zip(once, again)]):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output "
                "multiple times gives different values, although analytical gradient matches "
                f"numerical gradient.The tolerance for nondeterminism was {nondet_tol}.")
        for j, analytical in enumerate(once):
            if not np.allclose(analytical, numerical[j][k], rtol, atol):
                raise GradcheckError(
                    f"Jacobian mismatch for output {i} with respect to input {j},\n"
                    f"numerical:{wrap(numerical[j][k])}\nanalytical:{wrap(analytical)}\n")


def numerical_jacobians(func, inputs, tensor, results, eps):
    """Return for each result the difference quotients, a row for each element of `tensor`."""
    array = tensor._array
    jacobians = [np.zeros((array.size, one._array.size), one._array.dtype) for one in results]
    for row, index in enumerate(np.ndindex(array.shape)):
        before = array[index].copy()
        array[index] = before - eps
        below = [one.clone() for one in floating(func(*inputs))]    # a result may be an input
        array[index] = before + eps
        above = [one.clone() for one in floating(func(*inputs))]
        array[index] = before
        for jacobian, low, high in zip(jacobians, below, above):
            for what in ("shape", "dtype"):
                a, b = getattr(low, what), getattr(high, what)
                if a != b:
                    raise AssertionError(
                        f"Expected `func` to return outputs with the same {what} when inputs are "
                        f"perturbed on index {index} by {eps}, but got: {what}s {a} and {b}.")
            jacobian[row] = ((high._array - low._array) / (2 * eps)).ravel()
    return jacobians


def analytical_jacobians(inputs, output):
    """Return for each input the gradients of the output's elements, which are its columns."""
    array = output._array
    jacobians = [np.zeros((one._array.size, array.size), one._array.dtype) for one in inputs]
    for column, index in enumerate(np.ndindex(array.shape)):
        start = np.zeros_like(array)
        start[index] = 1
        found = grad(output, inputs, wrap(start), retain_graph=True, materialize_grads=True)
        for jacobian, gradient in zip(jacobians, found):
            jacobian[:, column] = gradient._array.ravel()
    return jacobians


def differentiable(values):
    """Return those of the values that are tensors and require a gradient."""
    return [one for one in as_tuple(values) if isinstance(one, Tensor) and one.requires_grad]


def floating(results):
    return [one for one in as_tuple(results) if one._array.dtype.kind == "f"]
