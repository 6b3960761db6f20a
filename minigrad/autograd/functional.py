"""Jacobians, Hessians and their products with vectors, for a function of tensors.

    J[i, j]    the derivative of output i with respect to input j
    vjp        v J: one backward pass
    jvp        J v: two.  u J is linear in u, and its derivative with respect to u, along v, is J v
    vhp, hvp   v H = H v: two, the second through the gradient of the function

In all of them `func` takes tensors and returns a tensor or a tuple, and `inputs` is a tensor or a
tuple.  The function is called with aliases of the inputs.  With ``create_graph=True`` the result
can be differentiated again.  Where an output does not depend on an input the derivative is zero, or
with ``strict=True`` a RuntimeError.
"""
from __future__ import annotations

import numpy as np

from ..tensor import Tensor, wrap
from .function import Function
from .grad_mode import enable_grad
from .gradients import grad

CONSTANT_OUTPUT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be "
    "computed in a differentiable manner from the input when running in strict mode.")

CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input. This is not allowed in strict mode. You "
    "should ensure that your function is twice differentiable and that the jacobian depends on "
    "the inputs (this would be violated by a linear function for example).")

INDEPENDENT = (
    "{} of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode{}.")


@enable_grad()
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return all first derivatives of ``func(*inputs)``, by a pass for each element of its output.

    >>> jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])

    The shape is ``output.shape + input.shape``.  For several outputs or inputs the result is a
    tuple, for both a tuple of tuples: ``result[output][input]``.  `vectorize` makes no difference.
    """
    several, inputs = aliases(inputs, "inputs", "jacobian", create_graph)
    several_outputs, outputs = call(func, inputs, "jacobian", strict)
    jacobians = []
    for i, output in enumerate(outputs):
        rows = []
        for place in range(output.numel()):
            row = gradients([output.reshape(-1)[place]], inputs, None, create_graph, True)
            rows.append(with_zeros(row, inputs, strict, create_graph, f"Output {i}"))
        blocks = [Stack.apply(*column).view((*output.shape, *one.shape))
                  for column, one in zip(zip(*rows), inputs)]
        jacobians.append(finished(blocks, several, create_graph))
    return tuple(jacobians) if several_outputs else jacobians[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return all second derivatives of a function that returns a single number.

    >>> hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])

    The shape is ``input.shape + input.shape``.  For several inputs, ``result[i][j]`` has the shape
    ``inputs[i].shape + inputs[j].shape``.
    """
    several, inputs = as_tuple(inputs, "inputs", "hessian")

    def number(*args):
        return call(func, args, "hessian", strict, single=True)[1][0].squeeze()

    def gradient(*args):
        return check_history(jacobian(number, args, create_graph=True), strict, CONSTANT_JACOBIAN)

    blocks = jacobian(gradient, inputs, create_graph, strict, vectorize)
    return blocks if several else blocks[0][0]


@enable_grad()
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and the product of the vector `v` with the Jacobian.

    `v` is shaped like the output, and may be left out if that is a single number.
    """
    several, inputs = aliases(inputs, "inputs", "vjp", create_graph)
    several_outputs, outputs = call(func, inputs, "vjp", strict)
    v = vector(v, several_outputs, outputs, "vjp", create_graph)
    found = with_zeros(gradients(outputs, inputs, v, create_graph), inputs, strict, create_graph)
    return finished(outputs, several_outputs, create_graph), finished(found, several, create_graph)


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and the product of the Jacobian with the vector `v`.

    `v` is shaped like the inputs, and may be left out if that is a single number.
    """
    several, inputs = aliases(inputs, "inputs", "jvp", create_graph)
    v = vector(v, several, inputs, "jvp", create_graph)
    several, outputs = call(func, inputs, "jvp", strict)
    u = tuple([zeros_like(one).requires_grad_() for one in outputs])        # any u will do
    product = with_zeros(gradients(outputs, inputs, u, True), inputs, strict, False)
    found = with_zeros(gradients(product, u, v, create_graph), outputs, strict, create_graph)
    return finished(outputs, several, create_graph), finished(found, several, create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, a single number, and the product of `v` with the Hessian.

    `v` is shaped like the inputs, and may be left out if that is a single number.
    """
    return hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return what `vhp` returns: the Hessian is symmetric."""
    return hessian_product("hvp", func, inputs, v, create_graph, strict)


@enable_grad()
def hessian_product(name, func, inputs, v, create_graph, strict):
    several, inputs = aliases(inputs, "inputs", name, create_graph)
    v = vector(v, several, inputs, name, create_graph)
    _, outputs = call(func, inputs, name, strict, single=True)
    first = check_history(gradients(outputs, inputs, None, True), strict, CONSTANT_JACOBIAN)
    found = gradients(first, inputs, v, create_graph)
    found = with_zeros(found, inputs, strict, create_graph, "The jacobian", "The hessian")
    return finished(outputs, False, create_graph), finished(found, several, create_graph)


# --- the passes ---------------------------------------------------------------------------------

def gradients(outputs, inputs, weights, create_graph, retain_graph=None):
    """Return what `grad` does, without the outputs that are None or constant."""
    weights = weights or (None,) * len(outputs)
    pairs = [(output, weight) for output, weight in zip(outputs, weights)
             if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outputs, weights = zip(*pairs)
    return grad(outputs, inputs, weights, retain_graph, create_graph, allow_unused=True)


def with_zeros(gradients, like, strict, create_graph, of="The output", derivative="The jacobian"):
    """Return the gradients with zeros for None, which strict mode refuses, as it does constants."""
    for i, one in enumerate(gradients if strict else ()):
        if one is None:
            raise RuntimeError(INDEPENDENT.format(of, i, ""))
        if create_graph and not one.requires_grad:
            raise RuntimeError(INDEPENDENT.format(derivative, i, " when create_graph=True"))
    return [zeros_like(other) if one is None else one for one, other in zip(gradients, like)]


def zeros_like(tensor):
    return wrap(np.zeros_like(tensor._array, order="C"))


class Stack(Function):
    """Puts tensors of one shape into a tensor with one more dimension."""

    @staticmethod
    def forward(ctx, *tensors):
        return wrap(np.array([one._array for one in tensors]))

    @staticmethod
    def backward(ctx, grad):
        return tuple(grad)


Stack._backward_cls.__name__ = "StackBackward0"


# --- what comes in and what goes out ------------------------------------------------------------

def as_tuple(value, what, name):
    """Return whether `value` is a tuple, and `value` as one."""
    several = isinstance(value, tuple)
    value = value if several else (value,)
    for i, one in enumerate(value):
        if not isinstance(one, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of "
                            f"Tensors but the {where} has type {type(one)}.")
    return several, value


def aliases(value, what, name, create_graph, requires_grad=True):
    """Return whether `value` is a tuple, and aliases of its tensors."""
    several, value = as_tuple(value, what, name)
    return several, tuple([one.view_as(one) if create_graph and one.requires_grad
                           else one.detach().requires_grad_(requires_grad) for one in value])


def call(func, inputs, name, strict, single=False):
    """Return whether the function returns a tuple, and its outputs: one number if `single`."""
    several, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", name)
    check_history(outputs, strict, CONSTANT_OUTPUT)
    if single and several:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if single and outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a "
                           "single element")
    return several, outputs


def check_history(tensors, strict, message):
    """Return the tensors; strict mode refuses one that has no history."""
    for i, one in enumerate(tensors if strict else ()):
        if one is None or not one.requires_grad:
            raise RuntimeError(message.format(i) if one is not None else
                               INDEPENDENT.format("The output", i, ""))
    return tensors


def vector(v, several, like, name, create_graph):
    """Return the vector `v` as a tuple of tensors, shaped like those in `like`; or None."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            side = "user-provided function returns"
            if name != "vjp":
                side = "input to the user-provided function is"
            raise RuntimeError(f"The vector v can only be None if the {side} a single Tensor with "
                               "a single element.")
        return None
    _, v = aliases(v, "v", name, create_graph, requires_grad=False)
    if len(v) != len(like):
        raise RuntimeError("The given v should contain a single Tensor." if not several else f"v "
                           f"is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (one, other) in enumerate(zip(v, like)):
        if one.shape != other.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got "
                               f"{one.shape}.")
    return v


def finished(tensors, several, create_graph):
    """Return a tuple of tensors, or only the first; with a history only if `create_graph`."""
    tensors = tuple(tensors) if create_graph else tuple([one.detach() for one in tensors])
    return tensors if several else tensors[0]
