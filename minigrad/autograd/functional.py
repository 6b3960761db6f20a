"""Jacobians, Hessians and their products with vectors, for a function of tensors.

    J[i, j]    the derivative of output i with respect to input j
    vjp        v J, by one backward pass
    jvp        J v, by two: the derivative of u J with respect to u, along v, is J v
    vhp, hvp   v H = H v, by two: the second differentiates the gradient

`func` takes tensors and returns a tensor or a tuple; `inputs` is a tensor or a tuple.  The vector
`v` may be left out if it is a single number.  With ``create_graph=True`` the result can be
differentiated again.  Where an output does not depend on an input the derivative is zero; with
``strict=True`` that is a RuntimeError.
"""
import numpy as np

from ..tensor import Tensor, wrap
from .grad_mode import enable_grad
from .gradients import grad

CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input. This is not allowed in strict mode. You "
    "should ensure that your function is twice differentiable and that the jacobian depends on the "
    "inputs (this would be violated by a linear function for example).")
STRICT = (" of the user-provided function is independent of input {}. This is not allowed in "
          "strict mode")
INDEPENDENT, CONSTANT = f"The output{STRICT}.", f"The jacobian{STRICT} when create_graph=True."


@enable_grad()
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return all first derivatives of ``func(*inputs)``, by a pass for each element of its output.

    >>> jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])

    The shape is ``output.shape + input.shape``.  For several outputs or inputs the result is a
    tuple, for both a tuple of tuples: ``result[output][input]``.  `vectorize` makes no difference.
    """
    xs, result, ys = call("jacobian", func, inputs, create_graph, strict)
    jacobians = []
    for i, y in enumerate(ys):
        rows = [gradients([one], xs, [None], create_graph, strict, f"Output {i}{STRICT}.")
                for one in y.reshape(-1)]
        blocks = [Tensor._stack([row[j] for row in rows]).view((*y.shape, *x.shape))
                  for j, x in enumerate(xs)]
        jacobians.append(finished(blocks, inputs, create_graph))
    return tuple(jacobians) if isinstance(result, tuple) else jacobians[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return the Jacobian of the gradient of a function that returns a single number."""
    def gradient(*xs):
        xs, _, ys = call("hessian", func, xs, True, strict, single=True)
        return tuple(gradients(ys, xs, [None], True, strict, CONSTANT_JACOBIAN, CONSTANT_JACOBIAN))

    rows = jacobian(gradient, as_tuple(inputs, "inputs", "hessian"), create_graph, strict)
    return rows if isinstance(inputs, tuple) else rows[0][0]


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and the product v J for a vector `v` shaped like the output."""
    xs, result, ys = call("vjp", func, inputs, create_graph, strict)
    found = gradients(ys, xs, vector("vjp", v, result, ys), create_graph, strict)
    return finished(ys, result, create_graph), finished(found, inputs, create_graph)


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and the product J v for a vector `v` shaped like the inputs."""
    xs, result, ys = call("jvp", func, inputs, create_graph, strict)
    u = [wrap(np.zeros_like(y._array)).requires_grad_() for y in ys]        # any u will do
    product = gradients(ys, xs, u, True, strict)
    found = gradients(product, u, vector("jvp", v, inputs, xs), create_graph, strict)
    return finished(ys, result, create_graph), finished(found, result, create_graph)


@enable_grad()
def vhp(func, inputs, v=None, create_graph=False, strict=False, name="vhp"):
    """Return ``func(*inputs)``, a single number, and v H for a `v` shaped like the inputs."""
    xs, result, ys = call(name, func, inputs, create_graph, strict, single=True)
    first = gradients(ys, xs, [None], True, strict, constant=CONSTANT_JACOBIAN)
    found = gradients(first, xs, vector(name, v, inputs, xs), create_graph, strict,
                      f"The jacobian{STRICT}.", f"The hessian{STRICT} when create_graph=True.")
    return finished(ys, result, create_graph), finished(found, inputs, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return what `vhp` returns: the Hessian is symmetric."""
    return vhp(func, inputs, v, create_graph, strict, "hvp")


def call(name, func, inputs, create_graph, strict, single=False):
    """Call `func` with aliases of the inputs; return those, its result, and that as a tuple."""
    xs = tuple([x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()
                for x in as_tuple(inputs, "inputs", name)])
    result = func(*xs)
    ys = as_tuple(result, "outputs of the user-provided function", name)
    if single and isinstance(result, tuple):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if single and result.numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a "
                           "single element")
    for i, y in enumerate(ys):
        if strict and not y.requires_grad:
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs "
                "must be computed in a differentiable manner from the input when running in strict "
                "mode.")
    return xs, result, ys


def as_tuple(value, what, name):
    """Return a tensor or a tuple of tensors as a tuple."""
    values = value if isinstance(value, tuple) else (value,)
    for i, one in enumerate(values):
        if not isinstance(one, Tensor):
            where = f"value at index {i}" if isinstance(value, tuple) else f"given {what}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of "
                            f"Tensors but the {where} has type {type(one)}.")
    return values


def vector(name, v, given, like):
    """Return `v` as a tuple, if it is shaped like the tensors in `like`; (None,) for None."""
    if v is None and (len(like) > 1 or like[0].numel() != 1):
        side = "user-provided function returns" if name == "vjp" else (
            "input to the user-provided function is")
        raise RuntimeError(f"The vector v can only be None if the {side} a single Tensor with a "
                           "single element.")
    if v is None:
        return (None,)
    v, is_tuple = as_tuple(v, "v", name), isinstance(given, tuple)
    if len(v) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
            if is_tuple else "The given v should contain a single Tensor.")
    for i, (one, other) in enumerate(zip(v, like)):
        if one.shape != other.shape:
            raise RuntimeError(f"{f'Entry {i} in v' if is_tuple else 'v'} has invalid size: should "
                               f"be {other.shape} but got {one.shape}.")
    return v


def gradients(ys, xs, v, create_graph, strict, independent=INDEPENDENT, constant=CONSTANT):
    """Return the gradients of the outputs, weighted by `v`; for none, zeros or a strict error."""
    pairs = [(y, weight) for y, weight in zip(ys, v) if y.requires_grad]
    ys, v = zip(*pairs) if pairs else ((), ())
    found = grad(ys, xs, v, retain_graph=True, create_graph=create_graph, allow_unused=True)
    for i, one in enumerate(found if strict else ()):
        if one is None:
            raise RuntimeError(independent.format(i))
        if create_graph and not one.requires_grad:
            raise RuntimeError(constant.format(i))
    return [wrap(np.zeros_like(x._array)) if one is None else one for one, x in zip(found, xs)]


def finished(tensors, given, create_graph):
    """Return a tuple, or one tensor if one was given; without history unless `create_graph`."""
    tensors = tuple([one if create_graph else one.data for one in tensors])
    return tensors if isinstance(given, tuple) else tensors[0]
