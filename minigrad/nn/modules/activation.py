"""The bends of a network as modules; what they compute is in ``nn.functional``."""
from __future__ import annotations

from ...creation import empty
from ...ops.activation import sigmoid
from ...ops.elementwise import tanh
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class _Bend(Module):
    """A function of every element, with a few settings that the printed form shows."""

    settings = ()

    def extra_repr(self):
        shown = [f"{name}={getattr(self, name)}" for name in self.settings]
        if getattr(self, "inplace", False):
            shown.append("inplace=True")
        return ", ".join(shown)


class _InPlaceBend(_Bend):
    """One that has no setting but whether to write over its input."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class ReLU(_InPlaceBend):
    """The larger of each number and 0."""

    def forward(self, input):
        return functional.relu(input, self.inplace)


class SELU(_InPlaceBend):
    """elu, scaled so that activations keep mean 0 and variance 1."""

    def forward(self, input):
        return functional.selu(input, self.inplace)


class SiLU(_InPlaceBend):
    """x * sigmoid(x)."""

    def forward(self, input):
        return functional.silu(input, self.inplace)


class Mish(_InPlaceBend):
    """x * tanh(softplus(x))."""

    def forward(self, input):
        return functional.mish(input, self.inplace)


class Hardsigmoid(_InPlaceBend):
    """A straight line from 0 at -3 to 1 at 3."""

    def forward(self, input):
        return functional.hardsigmoid(input, self.inplace)

    def extra_repr(self):
        return ""


class Hardswish(_InPlaceBend):
    """x * hardsigmoid(x)."""

    def forward(self, input):
        return functional.hardswish(input, self.inplace)

    def extra_repr(self):
        return ""


class Hardtanh(_Bend):
    """Each number, moved into [min_val, max_val]."""

    settings = ("min_val", "max_val")

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__()
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input):
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """Each number, moved into [0, 6]."""

    settings = ()

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class LeakyReLU(_Bend):
    """x above 0, negative_slope * x below."""

    settings = ("negative_slope",)

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input):
        return functional.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(_Bend):
    """x above 0, alpha * (e ** x - 1) below."""

    settings = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input):
        return functional.elu(input, self.alpha, self.inplace)


class CELU(ELU):
    """x above 0, alpha * (e ** (x / alpha) - 1) below."""

    def forward(self, input):
        return functional.celu(input, self.alpha, self.inplace)


class Threshold(_Bend):
    """x above `threshold`, `value` elsewhere."""

    settings = ("threshold", "value")

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input):
        return functional.threshold(input, self.threshold, self.value, self.inplace)


class GELU(_Bend):
    """x times the share of a normal distribution that lies below x."""

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Softplus(_Bend):
    """log(1 + e ** (beta * x)) / beta."""

    settings = ("beta", "threshold")

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input):
        return functional.softplus(input, self.beta, self.threshold)


class Hardshrink(_Bend):
    """x outside [-lambd, lambd], 0 inside."""

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return functional.hardshrink(input, self.lambd)

    def extra_repr(self):
        return str(self.lambd)


class Softshrink(Hardshrink):
    """x moved towards 0 by `lambd`, at most to 0."""

    def forward(self, input):
        return functional.softshrink(input, self.lambd)


class PReLU(_Bend):
    """x above 0, weight * x below; the weight (or one for each channel) is learnt."""

    settings = ("num_parameters",)

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Set first values."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return functional.prelu(input, self.weight)


class Sigmoid(Module):
    """1 / (1 + e ** -x)."""

    def forward(self, input):
        return sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return tanh(input)


class LogSigmoid(Module):
    """log(sigmoid(x))."""

    def forward(self, input):
        return functional.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input):
        return functional.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input):
        return functional.tanhshrink(input)


class Softmax(_Bend):
    """e ** x along `dim`, divided by its sum."""

    settings = ("dim",)

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.softmax(input, self.dim, 5)


class Softmin(Softmax):
    """softmax(-x)."""

    def forward(self, input):
        return functional.softmin(input, self.dim, 5)


class LogSoftmax(Softmax):
    """The logarithm of softmax."""

    def forward(self, input):
        return functional.log_softmax(input, self.dim, 5)


class Softmax2d(Module):
    """softmax over the channels of pictures (N, C, H, W) or (C, H, W)."""

    def forward(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return functional.softmax(input, -3, 5)


class GLU(Module):
    """The first half along dim times the sigmoid of the second."""

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.glu(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"
