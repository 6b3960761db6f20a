"""A tensor that a module trains: assigned to an attribute, it is found."""
from ..creation import empty, make_subclass
from ..printing import tensor_text
from ..tensor import Tensor


class Parameter(Tensor):
    """A leaf that shares the memory of `data` and requires a gradient.

        nn.Parameter(torch.ones(2))
        # Parameter containing:
        # tensor([1., 1.], requires_grad=True)

    Results computed from it are plain tensors.  Raises RuntimeError if `data` holds
    whole numbers (pass ``requires_grad=False``).
    """
    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = empty(0)
        return make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:        # a copy has no gradient, as in PyTorch
            copy = type(self)(self.data.clone(), self.requires_grad)
            memo[id(self)] = copy
        return memo[id(self)]

    def __repr__(self):
        return f"Parameter containing:\n{tensor_text(self, plain=Parameter)}"
