"""Products of Jacobians and Hessians with vectors, without the matrices.

    jvp        J v, by two passes: the derivative of u J with respect to u, along v
    vhp, hvp   v H = H v, by two passes: the second differentiates the gradient
"""
import numpy as np

from ..autograd.functional import (
    AGAIN,
    LINEAR,
    OF_OUTPUT,
    STRICT,
    call,
    finished,
    gradients,
    vector,
)
from ..autograd.grad_mode import enable_grad
from ..tensor import wrap

OF_JACOBIAN = (f"The jacobian{STRICT}.", f"The hessian{STRICT}{AGAIN}")


@enable_grad()
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return ``func(*inputs)``, and J v for a vector `v` shaped like the inputs."""
    xs, result, ys = call("jvp", func, inputs, create_graph, strict)
    # Any u will do: u J is linear in it.
    u = [wrap(np.zeros_like(y._array)).requires_grad_() for y in ys]
    linear = gradients(ys, xs, u, True, strict, OF_OUTPUT)
    v = vector("jvp", v, inputs, xs)
    product = gradients(linear, u, v, create_graph, strict, OF_OUTPUT)
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
    first = gradients(ys, xs, [None], True, strict, (OF_OUTPUT[0], LINEAR))
    v = vector(name, v, inputs, xs)
    product = gradients(first, xs, v, create_graph, strict, OF_JACOBIAN)
    return (finished(ys, result, create_graph),
            finished(product, inputs, create_graph))
