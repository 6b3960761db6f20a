"""Jacobians, Hessians and their products with vectors, for a function of tensors.

    J[i, j]    the derivative of output i with respect to input j
    vjp        v J, by one backward pass
    jvp        J v, by two: the derivative of u J with respect to u, along v, is J v
    vhp, hvp   v H = H v, by two: the second differentiates the gradient

`func` takes tensors and returns a tensor or a tuple; `inputs` is a tensor or a tuple.
The vector `v` may be left out if it is a single number.  With ``create_graph=True`` the
result can be differentiated again.  Where an output does not depend on an input the
derivative is zero; with ``strict=True`` that is a RuntimeError.
"""
import numpy as np

from ..tensor import Tensor, wrap
from .grad_mode import enable_grad
from .gradients import grad

STRICT = (
    " of the user-provided function is independent of input {}. This is not allowed in "
    "strict mode")
CONSTANT_OUTPUT = f"The output{STRICT}."
CONSTANT_JACOBIAN = f"The jacobian{STRICT}."
CONSTANT_JACOBIAN_TWICE = f"The jacobian{STRICT} when create_graph=True."
CONSTANT_HESSIAN_TWICE = f"The hessian{STRICT} when create_graph=True."
LINEAR = (
    "While computing the hessian, found that the jacobian of the user-provided "
    "function with respect to input {} is independent of the input. This is not "
    "allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be "
    "violated by a linear function for example).")
NO_GRADIENT = (
    "Output {} of the user-provided function does not require gradients. The "
    "outputs must be computed in a differentiable manner from the input when "
    "running in strict mode.")
ONE_TENSOR = "The function given to {} should return a single Tensor"
ONE_ELEMENT = (
    "The Tensor returned by the function given to {} should contain a single element")
NO_VECTOR = (
    "The vector v can only be None if the {} a single Tensor with a single element.")


@enable_grad()
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return all first derivatives, by a pass for each element of the output.

    >>> jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])

    The shape is ``output.shape + input.shape``.  For several outputs or inputs the
    result is a tuple, for both a tuple of tuples: ``result[output][input]``.
    `vectorize` makes no difference.
    """
    xs, result, ys = call("jacobian", func, inputs, create_graph, strict)
    jacobians = []
    for i, y in enumerate(ys):
        constant = f"Output {i}{STRICT}."
        rows = [gradients([one], xs, [None], create_graph, strict, constant)
                for one in y.reshape(-1)]
        blocks = []
        for j, x in enumerate(xs):
            block = Tensor._stack([row[j] for row in rows])
            blocks.append(block.view((*y.shape, *x.shape)))
        jacobians.append(finished(blocks, inputs, create_graph))
    return tuple(jacobians) if isinstance(result, tuple) else jacobians[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return the Jacobian of the gradient of a function that returns one number."""
    def gradient(*xs):
        xs, _, ys = call("hessian", func, xs, True, strict, single=True)
        return tuple(gradients(ys, xs, [None], True, strict, LINEAR, LINEAR))

    xs = as_tuple(inputs, "inputs", "hessian")
    rows = jacobian(gradient, xs, create_graph, strict)
    return rows if isinstance(inputs, tuple) else rows[0][0]


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and v J for a vector `v` shaped like the output."""
    xs, result, ys = call("vjp", func, inputs, create_graph, strict)
    v = vector("vjp", v, result, ys)
    product = gradients(ys, xs, v, create_graph, strict)
    return (finished(ys, result, create_graph),
            finished(product, inputs, create_graph))


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and J v for a vector `v` shaped like the inputs."""
    xs, result, ys = call("jvp", func, inputs, create_graph, strict)
    # Any u will do: u J is linear in it.
    u = [wrap(np.zeros_like(y._array)).requires_grad_() for y in ys]
    linear = gradients(ys, xs, u, True, strict)
    v = vector("jvp", v, inputs, xs)
    product = gradients(linear, u, v, create_graph, strict)
    return (finished(ys, result, create_graph),
            finished(product, result, create_graph))


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, one number, and v H for a `v` shaped like the inputs.
    """
    return hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return what `vhp` returns: the Hessian is symmetric."""
    return hessian_product("hvp", func, inputs, v, create_graph, strict)


@enable_grad()
def hessian_product(name, func, inputs, v, create_graph, strict):
    """Return ``func(*inputs)``, and its Hessian times `v`, for the function `name`."""
    xs, result, ys = call(name, func, inputs, create_graph, strict, single=True)
    first = gradients(ys, xs, [None], True, strict, CONSTANT_OUTPUT, LINEAR)
    v = vector(name, v, inputs, xs)
    product = gradients(first, xs, v, create_graph, strict,
                        CONSTANT_JACOBIAN, CONSTANT_HESSIAN_TWICE)
    return (finished(ys, result, create_graph),
            finished(product, inputs, create_graph))


# --- the function that is differentiated ----------------------------------------------

def call(name, func, inputs, create_graph, strict, single=False):
    """Call `func` with aliases of the inputs.

    Return the aliases, the result, and the result as a tuple.
    """
    xs = [alias(x, create_graph) for x in as_tuple(inputs, "inputs", name)]
    result = func(*xs)
    ys = as_tuple(result, "outputs of the user-provided function", name)
    if single and isinstance(result, tuple):
        raise RuntimeError(ONE_TENSOR.format(name))
    if single and result.numel() != 1:
        raise RuntimeError(ONE_ELEMENT.format(name))
    for i, y in enumerate(ys):
        if strict and not y.requires_grad:
            raise RuntimeError(NO_GRADIENT.format(i))
    return tuple(xs), result, ys


def alias(x, create_graph):
    """Return an alias of an input, with the history of the input if that is wanted."""
    if create_graph and x.requires_grad:
        return x.view_as(x)
    return x.detach().requires_grad_()


def as_tuple(value, what, name):
    """Return a tensor or a tuple of tensors as a tuple."""
    values = value if isinstance(value, tuple) else (value,)
    for i, one in enumerate(values):
        if isinstance(one, Tensor):
            continue
        where = f"given {what}"
        if isinstance(value, tuple):
            where = f"value at index {i}"
        raise TypeError(
            f"The {what} given to {name} must be either a Tensor or a tuple of Tensors "
            f"but the {where} has type {type(one)}.")
    return values


def vector(name, v, given, like):
    """Return `v` as a tuple, if it is shaped like the tensors in `like`.

    `given` holds those in the form in which the program wrote them.
    """
    if v is None:
        if len(like) > 1 or like[0].numel() != 1:
            whose = "input to the user-provided function is"
            if name == "vjp":
                whose = "user-provided function returns"
            raise RuntimeError(NO_VECTOR.format(whose))
        return (None,)
    v = as_tuple(v, "v", name)
    is_tuple = isinstance(given, tuple)
    if len(v) != len(like):
        if not is_tuple:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError("v is a tuple of invalid length: should be "
                           f"{len(like)} but got {len(v)}.")
    for i, (one, other) in enumerate(zip(v, like)):
        if one.shape != other.shape:
            which = f"Entry {i} in v" if is_tuple else "v"
            raise RuntimeError(f"{which} has invalid size: should be {other.shape} but "
                               f"got {one.shape}.")
    return v


# --- derivatives ----------------------------------------------------------------------

def gradients(ys, xs, v, create_graph, strict, independent=CONSTANT_OUTPUT,
              constant=CONSTANT_JACOBIAN_TWICE):
    """Return the gradients of the outputs, weighted by `v`; zeros where there is none.

    With `strict`, that is an error: `independent` says so, and `constant` is for a
    gradient that does not depend on the inputs.
    """
    pairs = [(y, weight) for y, weight in zip(ys, v) if y.requires_grad]
    ys = [y for y, _ in pairs]
    v = [weight for _, weight in pairs]
    found = grad(ys, xs, v, retain_graph=True, create_graph=create_graph,
                 allow_unused=True)
    if strict:
        for i, gradient in enumerate(found):
            if gradient is None:
                raise RuntimeError(independent.format(i))
            if create_graph and not gradient.requires_grad:
                raise RuntimeError(constant.format(i))
    return [wrap(np.zeros_like(x._array)) if gradient is None else gradient
            for gradient, x in zip(found, xs)]


def finished(tensors, given, create_graph):
    """Return a tuple, or one tensor if one was given.

    Without `create_graph` they have no history.
    """
    if not create_graph:
        tensors = [tensor.data for tensor in tensors]
    return tuple(tensors) if isinstance(given, tuple) else tensors[0]
