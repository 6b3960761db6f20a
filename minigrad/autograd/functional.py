"""Jacobians and Hessians, and products with them, for a function of tensors.

    J[i, j]    the derivative of output i with respect to input j
    vjp        v J, by one backward pass

`func` takes tensors and returns a tensor or a tuple; `inputs` is a tensor or a tuple.
The vector `v` may be left out if it is a single number.  With ``create_graph=True`` the
result can be differentiated again.  Where an output does not depend on an input the
derivative is zero; with ``strict=True`` that is a RuntimeError.
"""
import numpy as np

from ..tensor import Tensor, wrap
from ..vocabulary import offer_names
from .grad_mode import enable_grad
from .gradients import grad

__all__ = ["hessian", "jacobian", "vjp"]
__getattr__, __dir__ = offer_names(__name__, __all__)

STRICT = (
    " of the user-provided function is independent of input {}. This is not allowed in "
    "strict mode")
AGAIN = " when create_graph=True."
# What `strict` says of an input without a gradient, and of a gradient that is to be
# differentiated again but does not depend on the inputs.
OF_OUTPUT = (f"The output{STRICT}.", f"The jacobian{STRICT}{AGAIN}")
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
        errors = (f"Output {i}{STRICT}.", OF_OUTPUT[1])
        rows = [gradients([one], xs, [None], create_graph, strict, errors)
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
        return tuple(gradients(ys, xs, [None], True, strict, (LINEAR, LINEAR)))

    xs = tensors_of(inputs, "inputs", "hessian")
    rows = jacobian(gradient, xs, create_graph, strict)
    return rows if isinstance(inputs, tuple) else rows[0][0]


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and v J for a vector `v` shaped like the output."""
    xs, result, ys = call("vjp", func, inputs, create_graph, strict)
    v = vector("vjp", v, result, ys)
    product = gradients(ys, xs, v, create_graph, strict, OF_OUTPUT)
    return (finished(ys, result, create_graph),
            finished(product, inputs, create_graph))


def call(name, func, inputs, create_graph, strict, single=False):
    """Return aliases of the inputs, what `func` returns for them, and it as a tuple."""
    xs = [input_alias(x, create_graph) for x in tensors_of(inputs, "inputs", name)]
    result = func(*xs)
    ys = tensors_of(result, "outputs of the user-provided function", name)
    if single and isinstance(result, tuple):
        raise RuntimeError(ONE_TENSOR.format(name))
    if single and result.numel() != 1:
        raise RuntimeError(ONE_ELEMENT.format(name))
    for i, y in enumerate(ys):
        if strict and not y.requires_grad:
            raise RuntimeError(NO_GRADIENT.format(i))
    return tuple(xs), result, ys


def input_alias(x, create_graph):
    """Return an alias of an input, with the history of the input if that is wanted."""
    if create_graph and x.requires_grad:
        return x.view_as(x)
    return x.detach().requires_grad_()


def tensors_of(value, what, name):
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
    """Return `v` as a tuple of tensors shaped like those in `like`, or raise.

    `given` is `like` as the program wrote it: a tensor or a tuple.
    """
    if v is None:
        if len(like) > 1 or like[0].numel() != 1:
            whose = "input to the user-provided function is"
            if name == "vjp":
                whose = "user-provided function returns"
            raise RuntimeError(NO_VECTOR.format(whose))
        return (None,)
    v = tensors_of(v, "v", name)
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


def gradients(ys, xs, v, create_graph, strict, errors):
    """Return the gradients of the outputs, weighted by `v`; zeros where there is none.

    `errors` are the two messages of `strict`, such as `OF_OUTPUT`.
    """
    used = [i for i, y in enumerate(ys) if y.requires_grad]
    found = grad([ys[i] for i in used], xs, [v[i] for i in used], retain_graph=True,
                 create_graph=create_graph, allow_unused=True)
    if strict:
        independent, constant = errors
        for i, gradient in enumerate(found):
            if gradient is None:
                raise RuntimeError(independent.format(i))
            if create_graph and not gradient.requires_grad:
                raise RuntimeError(constant.format(i))
    return [wrap(np.zeros_like(x._array)) if gradient is None else gradient
            for gradient, x in zip(found, xs)]


def finished(tensors, given, create_graph):
    """Return a tuple, or one tensor if one was given; constants unless `create_graph`.
    """
    if not create_graph:
        tensors = [tensor.data for tensor in tensors]
    return tuple(tensors) if isinstance(given, tuple) else tensors[0]
