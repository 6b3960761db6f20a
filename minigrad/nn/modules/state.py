"""Saving a module's numbers in a dictionary, and reading them back."""
from __future__ import annotations

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ...autograd.grad_mode import no_grad
from ...autograd.hooks import registered
from ...tensor import Tensor
from ..parameter import Parameter

POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.")


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` answers: the names it looked for in vain, and those it had no use for."""

    __slots__ = ()

    def __repr__(self):
        if self.missing_keys or self.unexpected_keys:
            return super().__repr__()
        return "<All keys matched successfully>"


def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
    """All parameters and persistent buffers by name, without history, sharing memory with the module.

    keep_vars: the parameters themselves, with ``requires_grad``.
    """
    if args:
        warnings.warn(POSITIONAL, FutureWarning, stacklevel=2)
        given = dict(zip(("destination", "prefix", "keep_vars"), args))
        destination = given.get("destination") if destination is None else destination
        prefix = given.get("prefix", "") if prefix == "" else prefix
        keep_vars = given.get("keep_vars", keep_vars)
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
            module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in self._state_dict_hooks.values():
        replaced = hook(self, destination, prefix, metadata)
        if replaced is not None:
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
    return destination


def save_to_state_dict(self, destination, prefix, keep_vars):
    """Add this module's own parameters and buffers to the dictionary."""
    for name, value in own_state(self).items():
        destination[prefix + name] = value if keep_vars else value.detach()
    if defines(self, "get_extra_state"):
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


def defines(module, method):
    """Whether the module's class has its own form of a method that here only refuses."""
    return not hasattr(getattr(type(module), method), "only_refuses")


def get_extra_state(self):
    """What else `state_dict` shall save: defined by modules of one's own, along with `set_extra_state`."""
    raise RuntimeError(NO_EXTRA_STATE.format("get"))


def set_extra_state(self, state):
    """Take over what `get_extra_state` gave."""
    raise RuntimeError(NO_EXTRA_STATE.format("set"))


get_extra_state.only_refuses = set_extra_state.only_refuses = True
EXTRA_STATE = "_extra_state"
NO_EXTRA_STATE = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug.")


def own_state(module):
    """The module's own parameters and persistent buffers by name."""
    persistent = {name: buffer for name, buffer in module._buffers.items()
                  if name not in module._non_persistent_buffers_set}
    return {name: value for name, value in (module._parameters | persistent).items() if value is not None}


def load_state_dict(self, state_dict, strict=True, assign=False):
    """Copy numbers from a dictionary that `state_dict` made into the module.

    Args:
        strict: whether names that are missing or of no use are an error.
        assign: take the dictionary's tensors themselves instead of copying.

    Returns:
        A named tuple of missing_keys and unexpected_keys.

    Raises:
        RuntimeError: names or shapes do not match.
        TypeError: not a dictionary.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    missing, unexpected, errors = [], [], []
    metadata = getattr(state_dict, "_metadata", {})

    def load(module, entries, prefix):
        local_metadata = dict(metadata.get(prefix[:-1], {}))
        if assign:
            local_metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(entries, prefix, local_metadata, True, missing, unexpected, errors)
        for name, child in module._modules.items():
            if child is not None:
                below = f"{prefix}{name}."
                load(child, {key: value for key, value in entries.items() if key.startswith(below)}, below)
        for hook in module._load_state_dict_post_hooks.values():
            if hook(module, _IncompatibleKeys(missing, unexpected)) is not None:
                raise AssertionError(
                    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return "
                    "new values, if incompatible_keys need to be modified, it should be done inplace.")

    load(self, OrderedDict(state_dict), "")
    if strict:
        for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
            if keys:
                listed = ", ".join([f'"{key}"' for key in keys])
                errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
    if errors:
        listed = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
    return _IncompatibleKeys(missing, unexpected)


def load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                         error_msgs):
    """Read this module's own parameters and buffers; what goes wrong is appended to the three lists."""
    for hook in self._load_state_dict_pre_hooks.values():
        hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    wanted = own_state(self)
    for name, target in wanted.items():
        key = prefix + name
        if key in state_dict:
            error = load_one(self, name, key, target, state_dict[key], local_metadata)
            if error is not None:
                error_msgs.append(error)
        elif strict:
            missing_keys.append(key)
    extra, takes_extra = prefix + EXTRA_STATE, defines(self, "set_extra_state")
    if takes_extra and extra in state_dict:
        self.set_extra_state(state_dict[extra])
    elif strict and takes_extra != (extra in state_dict):
        (missing_keys if takes_extra else unexpected_keys).append(extra)
    if strict:
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                first, *below = key[len(prefix):].split(".", 1)
                if first not in (self._modules if below else wanted):
                    unexpected_keys.append(key)


def load_one(module, name, key, target, value, local_metadata):
    """Read one parameter or buffer; return what is wrong with it, or None."""
    if not isinstance(value, Tensor):
        return (f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                f"from checkpoint but received {type(value)}")
    if target._array.shape == () and value._array.shape == (1,):
        value = value[0]
    if value._array.shape != target._array.shape:
        return (f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the "
                f"shape in current model is {target.shape}.")
    try:
        with no_grad():
            if not local_metadata.get("assign_to_params_buffers"):
                target.copy_(value)
                return None
            if isinstance(target, Parameter):
                if isinstance(value, Parameter):
                    value.requires_grad_(target.requires_grad)
                else:
                    value = Parameter(value, target.requires_grad)
            setattr(module, name, value)
    except Exception as error:
        return (f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{target.size()} and whose dimensions in the checkpoint are {value.size()}, an exception "
                f"occurred : {error.args}.")
    return None


def register_load_pre_hook_without_module(self, hook, with_module=False):
    """The old form: the hook is not given the module, unless `with_module`."""
    return self.register_load_state_dict_pre_hook(hook if with_module else lambda module, *args: hook(*args))


def registrar(kind, public=False):
    """A method that registers a hook of this kind; `public`: one that may not return a dictionary."""
    def register(self, hook):
        if public:
            hook._from_public_api = True
        return registered(self.__dict__[kind], hook)
    return register
