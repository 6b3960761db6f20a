"""The module: it owns parameters, has a ``forward``, and may be made of other modules.

A Parameter or a Module that you assign to an attribute is registered in one of three
dictionaries, from which ``parameters()``, ``modules()``, ``state_dict()`` and the
printed form are read.
"""
from ...autograd.accumulate import clear_grad
from ...creation import tensor as new_tensor
from ...dtypes import bool_, float32, float64
from ...errors import old_type_name
from ...tensor import Tensor
from ...vocabulary import MINIGRAD, absent, absent_names
from ..parameter import Parameter
from .module_hooks import HasHooks
from .state_dict import HasMembers, HasState

# Parts that a tensor or None may replace, and PyTorch's words for others.
REPLACEABLE = {
    "_parameters": ("parameter", "torch.nn.Parameter"),
    "_modules": ("child module", "torch.nn.Module"),
    "_buffers": ("buffer", "torch.nn.Buffer, torch.Tensor"),
}


class Module(HasMembers, HasHooks, HasState):
    """The base class of networks: call ``super().__init__()``, define ``forward``.

        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.factor = nn.Parameter(torch.tensor(2.0))

            def forward(self, x):
                return x * self.factor

        Scale()(torch.ones(2))          # tensor([2., 2.], grad_fn=<MulBackward0>)

    Call the module, not its ``forward``: the call also runs the hooks.
    """
    def __init__(self):
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_modules"] = {}
        own["_non_persistent_buffers_set"] = set()
        self._init_hooks()

    def __call__(self, *args, **kwargs):
        if (self._forward_hooks or self._forward_pre_hooks
                or self._backward_hooks or self._backward_pre_hooks):
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *input):
        """Compute the module's result; every subclass defines this."""
        name = type(self).__name__
        raise NotImplementedError(
            f'Module [{name}] is missing the required "forward" function')

    def register_parameter(self, name, param):
        """Make `param`, a Parameter or None, the parameter of this name."""
        self._check_name("parameter", name, "_parameters")
        if not isinstance(param, (Parameter, type(None))):
            raise TypeError(
                f"cannot assign '{old_type_name(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)")
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model "
                f"parameters must be created explicitly. To express '{name}' as a "
                "function of another Tensor, compute the value in the forward() "
                "method.")
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Make `tensor`, or None, part of the state; it is saved if `persistent`."""
        self._check_name("buffer", name, "_buffers")
        if not isinstance(tensor, (Tensor, type(None))):
            raise TypeError(
                f"cannot assign '{old_type_name(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)")
        self._buffers[name] = tensor
        if not persistent:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        """Make `module`, a Module or None, the child of this name."""
        if not isinstance(module, (Module, type(None))):
            raise TypeError(f"{old_type_name(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = module

    def _check_name(self, kind, name, store):
        """Refuse a name for a new part; the dictionary `store` is to hold it."""
        self._check_initialized(kind, store)
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f"{kind} name can't contain \".\"{got}")
        if name == "":
            raise KeyError(f"{kind} name can't be empty string \"\"")
        if name not in self.__dict__[store] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def __getattr__(self, name):
        for store in ("_parameters", "_buffers", "_modules"):
            if self._has(store, name):
                return self.__dict__[store][name]
        if name in absent_names("nn.Module"):
            raise absent(f"{MINIGRAD}.nn.Module", name)
        kind = type(self).__name__
        raise AttributeError(f"'{kind}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._make_room("parameters", name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module) and not self._has("_parameters", name):
            self._make_room("module", name, "_modules")
            self._modules[name] = value
        elif not self._replace_part(name, value):
            object.__setattr__(self, name, value)

    def _make_room(self, kind, name, store):
        """Remove any other attribute of this name, before a part takes it."""
        self._check_initialized(kind, store)
        if name not in self.__dict__[store]:
            self._forget(name)

    def _check_initialized(self, kind, store):
        if store not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")

    def _has(self, store, name):
        return name in self.__dict__.get(store, ())

    def _replace_part(self, name, value):
        """Replace a part by a tensor or None; return whether there is such a part."""
        for store, (kind, expected) in REPLACEABLE.items():
            if not self._has(store, name):
                continue
            is_buffer = store == "_buffers" and isinstance(value, Tensor)
            if value is not None and not is_buffer:
                raise TypeError(
                    f"cannot assign '{old_type_name(value)}' as {kind} '{name}' "
                    f"({expected} or None expected)")
            self.__dict__[store][name] = value
            return True
        return False

    def __delattr__(self, name):
        getattr(self, name)             # raises AttributeError if there is none
        self._forget(name)

    def _forget(self, name):
        """Remove the attribute of this name, whatever it is."""
        for store in (self.__dict__, self._parameters, self._buffers, self._modules):
            store.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def apply(self, fn):
        """Call `fn(module)` for every child, innermost first, then for this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Switch this module and its children to training (dropout active), or out."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Switch out of training: `train(False)`.  Gradients are recorded as before."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set ``requires_grad`` of all parameters; False freezes them."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Set ``.grad`` of all parameters to None; see ``Optimizer.zero_grad``."""
        for param in self.parameters():
            clear_grad(param, set_to_none)

    def to(self, *args, **kwargs):
        """Convert parameters and buffers of floats: ``module.to(torch.float64)``."""
        # `Tensor.to` understands the arguments; a bool stays one if they name no dtype.
        dtype = new_tensor([], dtype=bool_).to(*args, **kwargs).dtype
        if dtype is bool_:
            return self
        if not dtype.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got "
                f"desired dtype={dtype}")
        members = [*self.parameters(), *self.buffers()]
        grads = [member.grad for member in members if member.grad is not None]
        for member in members + grads:
            if member.is_floating_point():
                member.data = member.data.to(dtype)
        return self

    def cpu(self):
        """Return the module itself: there is no other device."""
        return self

    def float(self):
        """Convert floating-point parameters and buffers to float32."""
        return self.to(float32)

    def double(self):
        """Convert floating-point parameters and buffers to float64."""
        return self.to(float64)

    def extra_repr(self):
        """Return what the printed form shows of the module's own settings."""
        return ""

    def __repr__(self):
        name = type(self).__name__
        extra = self.extra_repr()
        children = self._shown_children()
        if not children and "\n" not in extra:
            return f"{name}({extra})"
        lines = [extra] if extra else []
        text = "\n".join([*lines, *children]).replace("\n", "\n  ")
        return f"{name}(\n  {text}\n)"

    def _shown_children(self):
        """Return the printed form of each child, after its name."""
        return [f"({name}): {module!r}" for name, module in self._modules.items()]
