"""A tensor that a module trains: assigned to an attribute, ``module.parameters()`` finds it."""
from ..creation import empty, make_subclass
from ..tensor import Tensor


class Parameter(Tensor):
    """A leaf that shares the memory of `data` and requires a gradient.

        nn.Parameter(torch.ones(2))
        # Parameter containing:
        # tensor([1., 1.], requires_grad=True)

    Results computed from it are plain tensors.  Raises RuntimeError if `data` holds whole numbers
    (pass ``requires_grad=False``).
    """
    _is_plain = True            # printed as a tensor, unlike subclasses of your own

    def __new__(cls, data=None, requires_grad=True):
        return make_subclass(cls, empty(0) if data is None else data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:        # a copy has no gradient, as in PyTorch
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self):
        return f"Parameter containing:\n{super().__repr__()}"
