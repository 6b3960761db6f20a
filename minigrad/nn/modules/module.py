"""The module: what owns parameters, has a ``forward``, and may be made of other modules.

Assigning a Parameter or a Module to an attribute registers it: the attribute then lives in one of three
dictionaries, from which ``parameters()``, ``modules()``, ``state_dict()`` and the printed form are read.
"""
from __future__ import annotations

from collections import OrderedDict

from ...detaching import forget_gradient
from ...errors import typename
from ...tensor import Tensor
from ..parameter import Buffer, Parameter
from . import converting, global_hooks, hooks, state
from .global_hooks import *  # noqa: F403   PyTorch has them here

_global_is_full_backward_hook = None        # or which kind the backward hooks on all modules are
globals().update({f"_global_{kind}": OrderedDict() for kind in global_hooks.KINDS})


class Module:
    """The base class of networks: call ``super().__init__()``, assign parts, define ``forward``."""

    _version = 1
    training: bool
    call_super_init = False

    def __init__(self, *args, **kwargs):
        if kwargs and not self.call_super_init:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                            f"'{next(iter(kwargs))}'")
        if args and not self.call_super_init:
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but "
                            f"{len(args) + 1} were given")
        own = self.__dict__
        own["training"] = True
        own["_parameters"], own["_buffers"], own["_non_persistent_buffers_set"] = {}, {}, set()
        for name in hooks.KINDS:
            own[name] = OrderedDict()
        own["_is_full_backward_hook"] = None        # or which kind of backward hook there is
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # --- the call -------------------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if (self._backward_hooks or self._backward_pre_hooks or self._forward_hooks or self._forward_pre_hooks
                or global_hooks.in_calls):
            return hooks.call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *input):
        """What the module computes; every subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function')

    register_forward_pre_hook = hooks.register_forward_pre_hook
    register_forward_hook = hooks.register_forward_hook
    register_full_backward_pre_hook = hooks.register_full_backward_pre_hook
    register_full_backward_hook = hooks.register_full_backward_hook


    # --- registering parts ----------------------------------------------------------------------------------

    def register_parameter(self, name, param):
        """Make `param`, a Parameter or None, the parameter of this name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' "
                                "(torch.nn.Parameter or None required)")
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                    "the forward() method.")
        self._parameters[name] = global_hooks.seen_by(global_hooks.new_parameter, self, name, param)

    def register_buffer(self, name, tensor, persistent=True):
        """Make `tensor` (or None) part of the module's state, without training it.

        persistent: ``state_dict`` saves it.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or "
                            "None required)")
        self._buffers[name] = global_hooks.seen_by(global_hooks.new_buffer, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _check_name(self, what, name, registered):
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f"{what} name can't contain \".\"")
        if name == "":
            raise KeyError(f"{what} name can't be empty string \"\"")
        if name not in registered and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name, module):
        """Make `module`, a Module or None, the part of this name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if name not in self._modules and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = global_hooks.seen_by(global_hooks.new_module, self, name, module)


    def __getattr__(self, name):
        own = self.__dict__         # called only for names that are not there
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in own.get(kind, ()):
                return own[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        own = self.__dict__
        params, modules, buffers = own.get("_parameters"), own.get("_modules"), own.get("_buffers")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, but=params)
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, but=modules)
            modules[name] = global_hooks.seen_by(global_hooks.new_module, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' "
                                "(torch.nn.Module or None expected)")
            modules[name] = value
        elif isinstance(value, Buffer) or buffers is not None and name in buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, "
                                "torch.Tensor or None expected)")
            if isinstance(value, Buffer):
                persistent = value.persistent
            else:
                persistent = name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, persistent)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, but):
        """Take the name out of every place, except the one where it will be put again."""
        own = self.__dict__
        for place in (own, own["_parameters"], own["_buffers"], own["_modules"]):
            if place is not but:
                place.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name):
        for place in (self._parameters, self._buffers, self._modules):
            if name in place:
                del place[name]
                return self._non_persistent_buffers_set.discard(name)
        object.__delattr__(self, name)

    # --- finding parts --------------------------------------------------------------------------------------

    def parameters(self, recurse=True):
        """All parameters, each once, those of the parts included."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """All parameters with their names, such as ``0.weight``."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse,
                                       remove_duplicate)

    def buffers(self, recurse=True):
        """All buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """All buffers with their names."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse,
                                       remove_duplicate)

    def _named_members(self, members, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for module_prefix, module in modules:
            for name, value in members(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{module_prefix}." if module_prefix else "") + name, value

    def children(self):
        """The direct parts, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """The direct parts with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """This module and all its parts, parts of parts included."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module (under the empty name) and all its parts with their names."""
        memo = set() if memo is None else memo
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(memo, (f"{prefix}." if prefix else "") + name,
                                                    remove_duplicate)


    # --- changing all of it ---------------------------------------------------------------------------------

    def apply(self, fn):
        """Call `fn(module)` for every part, innermost first, then for this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Switch this module and its parts to training (dropout active), or out of it."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Switch out of training: `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set ``requires_grad`` of all parameters."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or set them to zero."""
        for param in self.parameters():
            forget_gradient(param, set_to_none)

    _apply, to, cpu, cuda = converting._apply, converting.to, converting.cpu, converting.cuda
    type, float, double, half = converting.type, converting.float, converting.double, converting.half
    to_empty, share_memory = converting.to_empty, converting.share_memory

    # --- saving and loading ---------------------------------------------------------------------------------

    state_dict = state.state_dict
    load_state_dict = state.load_state_dict
    _save_to_state_dict = state.save_to_state_dict
    _load_from_state_dict = state.load_from_state_dict
    register_state_dict_pre_hook = state.registrar("_state_dict_pre_hooks")
    register_state_dict_post_hook = state.registrar("_state_dict_hooks", public=True)
    _register_state_dict_hook = state.registrar("_state_dict_hooks")
    _register_load_state_dict_pre_hook = state.register_load_pre_hook_without_module
    get_extra_state, set_extra_state = state.get_extra_state, state.set_extra_state
    register_load_state_dict_pre_hook = state.registrar("_load_state_dict_pre_hooks")
    register_load_state_dict_post_hook = state.registrar("_load_state_dict_post_hooks")

    # --- the printed form -----------------------------------------------------------------------------------

    def extra_repr(self):
        """What the printed form shows of the module's own settings."""
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        lines = [*extra_lines, *[f"({name}): " + repr(module).replace("\n", "\n  ")
                                 for name, module in self._modules.items()]]
        if not lines:
            return f"{self._get_name()}()"
        if len(lines) == len(extra_lines) == 1:
            return f"{self._get_name()}({lines[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted([name for name in names if not name[0].isdigit()])
