"""A linear layer whose first input says how many features it has."""
from ..creation import empty
from ..nn.modules.layers import Linear
from ..nn.parameter import Parameter

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error "
    "usually happens in `load_state_dict` when trying to load an uninitialized "
    "parameter into an initialized one. Call `forward` to initialize the parameters "
    "before accessing their attributes.")
NO_NUMBERS = (
    "Attempted to use an uninitialized parameter. This error happens when you are "
    "using a `LazyModule` or explicitly manipulating "
    "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
    "`forward` with a dummy batch to initialize the parameters before calling torch "
    "functions")


class UninitializedParameter(Parameter):
    """A parameter without numbers.  `materialize` makes it a Parameter in its place."""
    def __new__(cls, requires_grad=True):
        made = Parameter(None, requires_grad)
        made.__class__ = cls
        return made

    @property
    def shape(self):
        raise RuntimeError(NO_SHAPE)

    @property
    def _array(self):
        raise ValueError(NO_NUMBERS)

    def materialize(self, shape, dtype=None):
        """Become a Parameter of this shape."""
        self.__class__ = Parameter
        self._array = empty(*shape, dtype=dtype)._array

    def detach(self):
        return self

    def __deepcopy__(self, memo):
        return memo.setdefault(id(self), type(self)(self.requires_grad))

    def __repr__(self):
        return "<UninitializedParameter>"


class LazyLinear(Linear):
    """A `Linear` that takes the number of its input features from its first input.

        layer = nn.LazyLinear(2)
        layer(torch.ones(5, 3)).shape       # torch.Size([5, 2])
        layer                               # Linear(in_features=3, out_features=2, ...)

    Until then it has no numbers, and what uses its parameters raises ValueError.
    """
    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False, device, dtype)
        self.out_features = out_features
        self.dtype = dtype
        self.weight = UninitializedParameter()
        if bias:
            self.bias = UninitializedParameter()

    def has_uninitialized_params(self):
        """Return whether a parameter has no numbers yet."""
        params = self.parameters(recurse=False)
        return any([isinstance(param, UninitializedParameter) for param in params])

    def reset_parameters(self):
        """Draw weight and bias anew, if they have numbers."""
        if self.in_features and not self.has_uninitialized_params():
            super().reset_parameters()

    def __call__(self, *args, **kwargs):
        was_empty = self.has_uninitialized_params()
        self.in_features = args[0].shape[-1]
        if was_empty:
            self._materialize({
                "weight": (self.out_features, self.in_features),
                "bias": (self.out_features,)})
            self.reset_parameters()
        self.__class__ = Linear
        return self(*args, **kwargs)

    def _materialize(self, shapes):
        """Give the parameters without numbers these shapes."""
        for name, param in self.named_parameters(recurse=False):
            if isinstance(param, UninitializedParameter) and name in shapes:
                param.materialize(shapes[name], self.dtype)

    def _load(self, state_dict, prefix, *lists):
        self._materialize({
            key.removeprefix(prefix): value.shape for key, value in state_dict.items()
            if key.startswith(prefix)})
        super()._load(state_dict, prefix, *lists)
