"""The layers; what they compute is in ``nn.functional``."""
import math
from collections import OrderedDict

from ...creation import empty
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class Linear(Module):
    """Return input @ weight.T + bias, over the last dimension.

        layer = nn.Linear(3, 2)
        layer(torch.ones(5, 3)).shape       # torch.Size([5, 2])

    weight: (out_features, in_features); bias: (out_features,) or None.  Both are drawn
    uniformly between +-1 / sqrt(in_features).  Raises RuntimeError for an input of
    another size or dtype.
    """
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        weight = empty(out_features, in_features, device=device, dtype=dtype)
        self.weight = Parameter(weight)
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        for param in self.parameters(recurse=False):
            init.uniform_(param, -bound, bound)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Flatten(Module):
    """Join the dimensions from `start_dim` on: (N, C, H, W) becomes (N, C * H * W)."""
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """See ``functional.dropout``; it is active in training only."""
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(
                f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class ReLU(Module):
    """Return the larger of each number and 0; with `inplace`, over the input itself."""
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return functional.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """Return the hyperbolic tangent of each number."""
    def forward(self, input):
        return functional.tanh(input)


class Sigmoid(Module):
    """Return 1 / (1 + exp(-x)) of each number x."""
    def forward(self, input):
        return functional.sigmoid(input)


class Softmax(Module):
    """See ``functional.softmax``."""
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


# --- containers -----------------------------------------------------------------------

class Numbered(Module):
    """The base class of modules whose children are in order, named "0", "1", ..."""
    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _name(self, idx):
        """Return the name of the child at an index, which may count from the end."""
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return list(self._modules)[idx]

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            children = list(self._modules.items())[idx]
            return type(self)(OrderedDict(children))
        return self._modules[self._name(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._name(idx), module)

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several modules at the end."""
        for module in modules:
            self.append(module)
        return self


class Sequential(Numbered):
    """Modules in a row: the output of each is the input of the next.

        net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
        net(torch.ones(3, 2)).shape         # torch.Size([3, 1])

    An OrderedDict of modules names them; otherwise they are "0", "1", ...
    """
    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


# --- losses ---------------------------------------------------------------------------
# What they compute is in ``nn.functional``.  Each is called with (input, target), and
# returns the mean over all elements; with ``reduction="sum"`` the sum, and with
# ``"none"`` the loss of each.

class Loss(Module):
    """A loss with a `reduction`, and perhaps with weights, which are buffers."""
    def __init__(self, reduction="mean", **weights):
        super().__init__()
        self.reduction = reduction
        for name, weight in weights.items():
            self.register_buffer(name, weight)


class MSELoss(Loss):
    """The squared differences (input - target) ** 2; warns if the shapes differ.

        loss_fn = nn.MSELoss()
        loss_fn(torch.tensor([1., 2.]), torch.tensor([0., 0.]))     # tensor(2.5000)
    """
    def __init__(self, reduction="mean"):
        super().__init__(reduction)

    def forward(self, input, target):
        return functional.mse_loss(input, target, self.reduction)


class CrossEntropyLoss(Loss):
    """Minus the logarithm of the softmax at the right class; see ``cross_entropy``.

        loss_fn = nn.CrossEntropyLoss()
        loss_fn(torch.tensor([[0., 0.]]), torch.tensor([1]))        # tensor(0.6931)
    """
    def __init__(self, weight=None, ignore_index=-100, reduction="mean",
                 label_smoothing=0.0):
        super().__init__(reduction, weight=weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return functional.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction,
            self.label_smoothing)
