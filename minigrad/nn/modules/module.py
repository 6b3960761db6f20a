"""The module: it owns parameters, has a ``forward``, and may be made of other modules.

A Parameter or a Module that you assign to an attribute is registered in one of three dictionaries,
from which ``parameters()``, ``modules()``, ``state_dict()`` and the printed form are read.
"""
from ...autograd.gradients import clear_grad
from ...creation import tensor as new_tensor
from ...dtypes import bool_, float32, float64
from ...errors import typename
from ...tensor import Tensor
from ..parameter import Parameter
from .hooks import HasHooks
from .state import HasState


class Module(HasHooks, HasState):
    """The base class of networks: call ``super().__init__()``, assign parts, define ``forward``.

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
        own["_parameters"], own["_buffers"], own["_modules"] = {}, {}, {}
        own["_non_persistent_buffers_set"] = set()
        self._init_hooks()

    def __call__(self, *args, **kwargs):
        if (self._forward_hooks or self._forward_pre_hooks
                or self._backward_hooks or self._backward_pre_hooks):
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *input):
        """Compute the module's result; every subclass defines this."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function')

    def register_parameter(self, name, param):
        """Make `param`, a Parameter or None, the parameter of this name."""
        self._check_name("parameter", name, "_parameters")
        if not isinstance(param, (Parameter, type(None))):
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method.")
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Make `tensor` (or None) part of the module's state, saved with it if `persistent`."""
        self._check_name("buffer", name, "_buffers")
        if not isinstance(tensor, (Tensor, type(None))):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch "
                            "Tensor or None required)")
        self._buffers[name] = tensor
        if not persistent:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        """Make `module`, a Module or None, the child of this name."""
        if not isinstance(module, (Module, type(None))):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, "_modules")
        self._modules[name] = module

    def _check_name(self, kind, name, place):
        if place not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if "." in name:
            got = f", got: {name}" if kind == "module" else ""
            raise KeyError(f"{kind} name can't contain \".\"{got}")
        if name == "":
            raise KeyError(f"{kind} name can't be empty string \"\"")
        if name not in self.__dict__[place] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def __getattr__(self, name):
        for place in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(place, ())
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        for place, kind, what, early, expected in PARTS:
            parts = self.__dict__.get(place)
            if isinstance(value, kind) and place != "_buffers":
                if parts is None:
                    raise AttributeError(f"cannot assign {early} before Module.__init__() call")
                if name not in parts:
                    self._forget(name)
            elif name not in (parts or ()):
                continue
            elif value is not None and not isinstance(value, kind):
                raise TypeError(f"cannot assign '{typename(value)}' as {what} '{name}' "
                                f"({expected} or None expected)")
            parts[name] = value
            return
        object.__setattr__(self, name, value)

    def _forget(self, name):
        """Remove the attribute of this name, whatever it is."""
        for place in (self.__dict__, self._parameters, self._buffers, self._modules):
            place.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name):
        getattr(self, name)             # raises AttributeError if there is none
        self._forget(name)

    def parameters(self, recurse=True):
        """Yield all parameters, each once; those of the children are included."""
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_parameters(self, prefix="", recurse=True):
        """Yield all parameters with their names, such as ``0.weight``."""
        return self._named_members("_parameters", prefix, recurse)

    def buffers(self, recurse=True):
        """Yield all buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True):
        """Yield all buffers with their names."""
        return self._named_members("_buffers", prefix, recurse)

    def _named_members(self, place, prefix, recurse):
        seen = {id(None)}
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, value in getattr(module, place).items():
                if id(value) not in seen:
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def children(self):
        """Yield the direct children, each once."""
        return (module for _, module in self.named_children())

    def named_children(self):
        """Yield the direct children with their names."""
        seen = {None}
        for name, module in self._modules.items():
            if module not in seen:
                seen.add(module)
                yield name, module

    def modules(self):
        """Yield this module, its children, their children and so on, each once."""
        return (module for _, module in self.named_modules())

    def named_modules(self, memo=None, prefix=""):
        """Yield this module (under the empty name) and all modules inside, with their names."""
        seen = set() if memo is None else memo
        if self not in seen:
            seen.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(seen, f"{prefix}.{name}" if prefix else name)

    def apply(self, fn):
        """Call `fn(module)` for every child, innermost first, then for this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Switch this module and its children to training (dropout active), or out of it."""
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
        """Set ``.grad`` of all parameters to None, or with ``set_to_none=False`` to zeros."""
        for param in self.parameters():
            clear_grad(param, set_to_none)

    def to(self, *args, **kwargs):
        """Convert floating-point parameters and buffers, in place: ``module.to(torch.float64)``."""
        dtype = new_tensor([], dtype=bool_).to(*args, **kwargs).dtype
        if dtype is bool_:              # only a device was given to `Tensor.to`
            return self
        if not dtype.is_floating_point:
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got "
                            f"desired dtype={dtype}")
        members = [*self.parameters(), *self.buffers()]
        for member in [*members, *[one.grad for one in members if one.grad is not None]]:
            if member.is_floating_point():
                member.data = member.data.to(dtype)
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
        extra = self.extra_repr()
        if not self._modules:
            return f"{type(self).__name__}({extra})"
        lines = "\n".join([extra] * bool(extra) + self._shown_children()).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {lines}\n)"

    def _shown_children(self):
        return [f"({name}): {module!r}" for name, module in self._modules.items()]


# What an attribute may be: where it lives, its type, and PyTorch's words for it.
PARTS = (("_parameters", Parameter, "parameter", "parameters", "torch.nn.Parameter"),
         ("_modules", Module, "child module", "module", "torch.nn.Module"),
         ("_buffers", Tensor, "buffer", None, "torch.nn.Buffer, torch.Tensor"))
