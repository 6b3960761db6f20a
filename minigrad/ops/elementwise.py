"""Functions of one number, applied to every element: exp, log, tanh, relu and their relatives."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable


def floating(self):
    """Integers become the default floating-point dtype; floats stay as they are."""
    return self if self.dtype.kind == "f" else self.astype(dtypes.Default.numpy)


@differentiable("ExpBackward0", self=lambda grad, result: grad * result)
def exp(self):
    return np.exp(floating(self))


@differentiable("LogBackward0", self=lambda grad, self: grad / self)
def log(self):
    return np.log(floating(self))


@differentiable("SinBackward0", self=lambda grad, self: grad * cos(self))
def sin(self):
    return np.sin(floating(self))


@differentiable("CosBackward0", self=lambda grad, self: grad * -sin(self))
def cos(self):
    return np.cos(floating(self))


@differentiable("ReciprocalBackward0", self=lambda grad, result: -grad * (result * result))
def reciprocal(self):
    return np.reciprocal(floating(self))


@differentiable("TanhBackward0", self=lambda grad, result: tanh_backward(grad, result))
def tanh(self):
    return np.tanh(floating(self))


@differentiable("TanhBackwardBackward0",
                grad_output=lambda grad, output: tanh_backward(grad, output),
                output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))
def tanh_backward(grad_output, output):
    """The gradient of tanh from its result: grad * (1 - tanh(x)**2)."""
    return grad_output * (1 - output * output)


@differentiable("CloneBackward0", self=lambda grad: grad)
def clone(self):
    return self.copy(order="K")


METHODS = "exp log sin cos tanh reciprocal clone"
IN_PLACE = "exp log sin cos tanh reciprocal"
