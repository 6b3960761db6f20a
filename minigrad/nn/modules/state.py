"""A module's parameters and buffers as a dictionary, and back."""
from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ...autograd.grad_mode import no_grad
from ...autograd.hooks import registered
from ..parameter import Parameter

STATE_HOOKS = ("_state_dict_pre_hooks", "_state_dict_hooks", "_load_state_dict_pre_hooks",
               "_load_state_dict_post_hooks")


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns: names that were missing, and names that fit nothing."""

    def __repr__(self):
        if self.missing_keys or self.unexpected_keys:
            return super().__repr__()
        return "<All keys matched successfully>"


class HasState:
    """The part of `Module` that saves and loads parameters and buffers."""

    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """Return all parameters and persistent buffers by name, as detached tensors.

            nn.Linear(1, 1).state_dict()        # OrderedDict with "weight" and "bias"

        The tensors share memory with the module; with `keep_vars` they are its parameters.
        """
        destination = OrderedDict() if destination is None else destination
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.",
                                  keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            if hook(self, destination, prefix, {}) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _own_state(self):
        """Return the module's own parameters and persistent buffers by name."""
        return {name: value for name, value in (self._parameters | self._buffers).items()
                if value is not None and name not in self._non_persistent_buffers_set}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the values of a dictionary that `state_dict` made into the module.

        With ``strict=False`` names may be missing or fit nothing; the returned tuple lists them.
        With `assign`, take the dictionary's tensors instead of copying them.

        Raises RuntimeError if names or shapes do not match, TypeError if it is no dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        self._load(dict(state_dict), "", assign, missing, unexpected, errors)
        for what, keys in (("Unexpected", unexpected), ("Missing", missing)) if strict else ():
            if keys:
                listed = ", ".join([f'"{key}"' for key in keys])
                errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                               + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)

    def _load(self, state_dict, prefix, assign, missing, unexpected, errors):
        """Load this module and its children; add what is wrong to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, state_dict, prefix, {}, True, missing, unexpected, errors)
        wanted = self._own_state()
        for name, target in wanted.items():
            if prefix + name not in state_dict:
                missing.append(prefix + name)
            else:
                self._load_one(name, prefix, target, state_dict[prefix + name], assign, errors)
        for key in state_dict:
            first, *rest = key.removeprefix(prefix).split(".", 1)
            if key.startswith(prefix) and first not in (self._modules if rest else wanted):
                unexpected.append(key)
        for name, child in self._modules.items():
            if child is not None:
                child._load(state_dict, f"{prefix}{name}.", assign, missing, unexpected, errors)
        for hook in self._load_state_dict_post_hooks.values():
            hook(self, _IncompatibleKeys(missing, unexpected))

    def _load_one(self, name, prefix, target, value, assign, errors):
        """Load one parameter or buffer."""
        if value.shape != target.shape:
            errors.append(f"size mismatch for {prefix}{name}: copying a param with shape "
                          f"{value.shape} from checkpoint, the shape in current model is "
                          f"{target.shape}.")
        elif assign:
            is_parameter = isinstance(target, Parameter)
            setattr(self, name, Parameter(value, target.requires_grad) if is_parameter else value)
        else:
            with no_grad():
                target.copy_(value)

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before `state_dict`."""
        return registered(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)`; it may change the dictionary."""
        return registered(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call `hook(module, state_dict, prefix, ...)` before this module's values are loaded."""
        return registered(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` after loading; it may change both lists."""
        return registered(self._load_state_dict_post_hooks, hook)
