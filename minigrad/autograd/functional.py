"""Jacobians, Hessians and their products with vectors, for a function of tensors.

    J[i, j]    the derivative of output i with respect to input j
    vjp        v J: one backward pass
    jvp        J v: two.  u J is linear in u, and its derivative with respect to u, along v, is J v
    vhp, hvp   v H and H v: the same, with the gradient of the function in place of the function

In all of them `func` takes tensors and returns a tensor or a tuple of tensors, and `inputs` is a tensor
or a tuple.  The function is called with aliases of the inputs, never with the tensors themselves.
With ``create_graph=True`` the result can be differentiated again.  With ``strict=True`` an output that
does not depend on an input is a RuntimeError; otherwise such a derivative is zero.
"""
from __future__ import annotations

import numpy as np

from ..tensor import Tensor, wrap
from .function import Function
from .grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from .gradients import grad

CONSTANT_OUTPUT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be "
    "computed in a differentiable manner from the input when running in strict mode.")

CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input. This is not allowed in strict mode. You "
    "should ensure that your function is twice differentiable and that the jacobian depends on "
    "the inputs (this would be violated by a linear function for example).")


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return all first derivatives of ``func(*inputs)``, by a backward pass for each element of its output.

    >>> jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])

    The shape is ``output.shape + input.shape``.  For a tuple of inputs the result is a tuple, and for a
    tuple of outputs a tuple of those: ``result[output][input]``.  `vectorize` makes no difference.
    """
    if vectorize and strict:
        raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are "
                           "not supported together. Please either set `strict=False` or "
                           "`vectorize=False`.")
    with enable_grad():
        several, inputs = aliases(inputs, "inputs", "jacobian", create_graph)
        several_outputs, outputs = call(func, inputs, "jacobian", strict)
        jacobians = []
        for i, output in enumerate(outputs):
            rows = [with_zeros(gradients((output.reshape(-1)[place],), inputs, None, create_graph, True),
                               inputs, strict, create_graph, f"Output {i}", "The jacobian")
                    for place in range(output.numel())]
            jacobians.append([Stack.apply(*column).view((*output.shape, *one.shape))
                              for column, one in zip(zip(*rows), inputs)])
    jacobians = tuple([finished(one, several, create_graph) for one in jacobians])
    return jacobians if several_outputs else jacobians[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False):
    """Return all second derivatives of a function that returns a single number.

    >>> hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])

    The shape is ``input.shape + input.shape``; for a tuple of inputs, ``result[i][j]`` has the shape
    ``inputs[i].shape + inputs[j].shape``.
    """
    several, inputs = as_tuple(inputs, "inputs", "hessian")

    def number(*args):
        return call_for_number(func, args, "hessian", strict).squeeze()

    def gradient(*args):
        return check_history(jacobian(number, args, create_graph=True), strict, CONSTANT_JACOBIAN)

    blocks = jacobian(gradient, inputs, create_graph, strict, vectorize)
    return blocks if several else blocks[0][0]


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and the product of the vector `v`, shaped like it, with the Jacobian.

    `v` may be left out if the output is a single number.
    """
    with enable_grad():
        several, inputs = aliases(inputs, "inputs", "vjp", create_graph)
        several_outputs, outputs = call(func, inputs, "vjp", strict)
        v = vector(v, several_outputs, outputs, "vjp", create_graph,
                   "user-provided function returns a single Tensor with a single element.")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = with_zeros(gradients(outputs, inputs, v, create_graph), inputs, strict, create_graph)
    return finished(outputs, several_outputs, create_graph), finished(found, several, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and the product of the Jacobian with the vector `v`, shaped like the inputs.

    `v` may be left out if the input is a single number.
    """
    with enable_grad():
        several, inputs = aliases(inputs, "inputs", "jvp", create_graph)
        v = vector(v, several, inputs, "jvp", create_graph)
        several_outputs, outputs = call(func, inputs, "jvp", strict)
        weights = zeros_like(outputs)
        weighted = with_zeros(gradients(outputs, inputs, weights, True), inputs, strict, False)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = with_zeros(gradients(weighted, weights, v, create_graph), outputs, strict, create_graph)
    return finished(outputs, several_outputs, create_graph), finished(found, several_outputs, create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, a single number, and the product of `v` with the Hessian.

    `v` is shaped like the inputs, and may be left out if the input is a single number.
    """
    return hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return what `vhp` returns.  It multiplies the Hessian with `v` from the right, in one pass more."""
    return hessian_product("hvp", func, inputs, v, create_graph, strict)


def hessian_product(name, func, inputs, v, create_graph, strict):
    with enable_grad():
        several, inputs = aliases(inputs, "inputs", name, create_graph)
        v = vector(v, several, inputs, name, create_graph)
        output = call_for_number(func, inputs, name, strict)
        first = check_history(gradients((output,), inputs, None, True), strict, CONSTANT_JACOBIAN)
        variables = inputs
        if name == "hvp":
            variables = zeros_like(inputs)
            first = gradients(first, inputs, variables, True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = with_zeros(gradients(first, variables, v, create_graph), inputs, strict, create_graph,
                           "The jacobian", "The hessian")
    return finished((output,), False, create_graph), finished(found, several, create_graph)


# --- the passes ---------------------------------------------------------------------------------

class Stack(Function):
    """Puts tensors of one shape into a tensor with one more dimension."""

    @staticmethod
    def forward(ctx, *tensors):
        return wrap(np.array([one._array for one in tensors]))

    @staticmethod
    def backward(ctx, grad):
        return tuple(grad)


Stack._backward_cls.__name__ = "StackBackward0"


def gradients(outputs, inputs, weights, create_graph, retain_graph=None):
    """Return what `grad` does, without the outputs that are None or constant; all None if none is left."""
    weights = weights or (None,) * len(outputs)
    pairs = [(output, weight) for output, weight in zip(outputs, weights)
             if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outputs, weights = zip(*pairs)
    return grad(outputs, inputs, weights, retain_graph, create_graph, allow_unused=True)


def with_zeros(gradients, like, strict, create_graph, of="The output", next_of="The jacobian"):
    """Return the gradients with zeros for None.  Strict mode refuses None, and what cannot be differentiated."""
    independent = "{} of the user-provided function is independent of input {}. This is not allowed in strict mode{}."
    for i, one in enumerate(gradients if strict else ()):
        if one is None:
            raise RuntimeError(independent.format(of, i, ""))
        if create_graph and not one.requires_grad:
            raise RuntimeError(independent.format(next_of, i, " when create_graph=True"))
    return [other.new_zeros(other.shape) if one is None else one for one, other in zip(gradients, like)]


def zeros_like(tensors):
    """Return weights to start a pass from, when only its derivative with respect to them matters."""
    return tuple([one.new_zeros(one.shape, requires_grad=True) for one in tensors])


# --- what comes in and what goes out ------------------------------------------------------------

def as_tuple(value, what, name):
    """Return whether `value` is a tuple, and `value` as one."""
    several = isinstance(value, tuple)
    value = value if several else (value,)
    for i, one in enumerate(value):
        if not isinstance(one, Tensor):
            where = f"value at index {i}" if several else f"given {what}"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but "
                            f"the {where} has type {type(one)}.")
    return several, value


def aliases(value, what, name, create_graph, requires_grad=True):
    """Return whether `value` is a tuple, and aliases of its tensors, with their history if it is needed."""
    several, value = as_tuple(value, what, name)
    return several, tuple([one.view_as(one) if create_graph and one.requires_grad
                           else one.detach().requires_grad_(requires_grad) for one in value])


def call(func, inputs, name, strict):
    """Return whether the function returns a tuple, and its outputs."""
    several, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", name)
    return several, check_history(outputs, strict, CONSTANT_OUTPUT)


def call_for_number(func, inputs, name, strict):
    """Return the output of a function that must return a tensor with one element."""
    several, outputs = call(func, inputs, name, strict)
    if several:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single "
                           "element")
    return outputs[0]


def check_history(tensors, strict, message):
    """Return the tensors; strict mode refuses one that has no history."""
    for i, one in enumerate(tensors if strict else ()):
        if one is None or not one.requires_grad:
            raise RuntimeError(message.format(i))
    return tensors


def vector(v, several, like, name, create_graph,
           single="input to the user-provided function is a single Tensor with a single element."):
    """Return the vector `v` as a tuple of tensors, each shaped like the one in `like`; or None."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {single}")
        return None
    _, v = aliases(v, "v", name, create_graph, requires_grad=False)
    if len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
                           if several else "The given v should contain a single Tensor.")
    for i, (one, other) in enumerate(zip(v, like)):
        if one.shape != other.shape:
            entry = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {one.shape}.")
    return v


def finished(tensors, several, create_graph):
    """Return tensors as the caller gets them: a tuple if one was given, with a history if it was asked for."""
    tensors = tuple(tensors) if create_graph else tuple([one.detach() for one in tensors])
    return tensors if several else tensors[0]
