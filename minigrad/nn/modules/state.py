"""A module's parameters and buffers as a dictionary, and back: ``state_dict``, ``load_state_dict``."""
from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ...autograd.grad_mode import no_grad
from ...autograd.hooks import registered
from ...tensor import Tensor
from ..parameter import Parameter

STATE_HOOKS = ("_state_dict_pre_hooks", "_state_dict_hooks", "_load_state_dict_pre_hooks",
               "_load_state_dict_post_hooks")


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns: names that were missing, and names that fit nothing."""

    __slots__ = ()

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
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.",
                                  keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            if hook(self, destination, prefix, metadata) is not None:
                raise RuntimeError("state_dict post-hook must return None")
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Add this module's own parameters and buffers to the dictionary."""
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars else value.detach()

    def _own_state(self):
        """Return the module's own parameters and persistent buffers by name."""
        state = self._parameters | self._buffers
        return {name: value for name, value in state.items()
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
        metadata = getattr(state_dict, "_metadata", {})

        def load(module, entries, prefix):
            local_metadata = dict(metadata.get(prefix[:-1], {}), assign_to_params_buffers=assign)
            module._load_from_state_dict(entries, prefix, local_metadata, True, missing, unexpected,
                                         errors)
            for name, child in module._modules.items():
                if child is not None:
                    inside = f"{prefix}{name}."
                    load(child, {key: value for key, value in entries.items()
                                 if key.startswith(inside)}, inside)
            for hook in module._load_state_dict_post_hooks.values():
                hook(module, _IncompatibleKeys(missing, unexpected))

        load(self, dict(state_dict), "")
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    listed = ", ".join([f'"{key}"' for key in keys])
                    errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys,
                              unexpected_keys, error_msgs):
        """Read this module's own parameters and buffers; add what is wrong to the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                 error_msgs)
        wanted = self._own_state()
        for name, target in wanted.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.append(key)
                continue
            error = self._load_one(name, key, target, state_dict[key],
                                   local_metadata["assign_to_params_buffers"])
            if error is not None:
                error_msgs.append(error)
        for key in state_dict:
            first, *rest = key[len(prefix):].split(".", 1)
            if key.startswith(prefix) and first not in (self._modules if rest else wanted):
                unexpected_keys.append(key)

    def _load_one(self, name, key, target, value, assign):
        """Read one parameter or buffer; return what is wrong with it, or None."""
        if not isinstance(value, Tensor):
            return (f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                    f"object from checkpoint but received {type(value)}")
        if value.shape != target.shape:
            return (f"size mismatch for {key}: copying a param with shape {value.shape} from "
                    f"checkpoint, the shape in current model is {target.shape}.")
        with no_grad():
            if not assign:
                target.copy_(value)
            elif isinstance(target, Parameter) and not isinstance(value, Parameter):
                setattr(self, name, Parameter(value, target.requires_grad))
            else:
                setattr(self, name, value)
        return None

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(module, prefix, keep_vars)` before `state_dict`."""
        return registered(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Call `hook(module, state_dict, prefix, local_metadata)`, which may change the dictionary."""
        return registered(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call `hook(module, state_dict, prefix, ...)` before this module's values are loaded."""
        return registered(self._load_state_dict_pre_hooks, hook)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(module, incompatible_keys)` after loading; it may change both lists."""
        return registered(self._load_state_dict_post_hooks, hook)
