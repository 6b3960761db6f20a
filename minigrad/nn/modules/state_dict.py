"""A module's parameters and buffers as a dictionary, and back."""
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ...autograd.grad_mode import no_grad

Keys = namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])


class _IncompatibleKeys(Keys):
    """What `load_state_dict` returns: names that were missing or that fit nothing."""
    def __repr__(self):
        if self.missing_keys or self.unexpected_keys:
            return super().__repr__()
        return "<All keys matched successfully>"


class HasState:
    """The part of `Module` that saves and loads parameters and buffers."""
    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """Return all parameters and persistent buffers by name, in detached tensors.

            nn.Linear(1, 1).state_dict()        # OrderedDict with "weight" and "bias"

        They share memory with the module; with `keep_vars` they are its parameters
        themselves.
        """
        if destination is None:
            destination = OrderedDict()
        for name, value in self._own_state().items():
            destination[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.",
                                  keep_vars=keep_vars)
        return destination

    def _own_state(self):
        """Return the module's own parameters and persistent buffers by name."""
        left_out = self._non_persistent_buffers_set
        members = self._parameters | self._buffers
        return {name: value for name, value in members.items()
                if value is not None and name not in left_out}

    def load_state_dict(self, state_dict, strict=True):
        """Copy the values of a dictionary that `state_dict` made into the module.

        With ``strict=False`` names may be missing or fit nothing; the returned tuple
        lists them.  Raises RuntimeError if names or shapes do not match, TypeError if
        it is no dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        self._load(dict(state_dict), "", missing, unexpected, errors)
        if strict:
            errors = [*key_errors("Missing", missing),
                      *key_errors("Unexpected", unexpected), *errors]
        if errors:
            name = type(self).__name__
            raise RuntimeError(f"Error(s) in loading state_dict for {name}:\n\t"
                               + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)

    def _load(self, state_dict, prefix, missing, unexpected, errors):
        """Load this module and its children; add what is wrong to the three lists."""
        wanted = self._own_state()
        for name, target in wanted.items():
            key = prefix + name
            if key not in state_dict:
                missing.append(key)
                continue
            value = state_dict[key]
            if value.shape == target.shape:
                with no_grad():
                    target.copy_(value)
            else:
                errors.append(
                    f"size mismatch for {key}: copying a param with shape "
                    f"{value.shape} from checkpoint, the shape in current model is "
                    f"{target.shape}.")
        for key in state_dict:
            if key.startswith(prefix):
                first, *rest = key.removeprefix(prefix).split(".", 1)
                if first not in (self._modules if rest else wanted):
                    unexpected.append(key)
        for name, child in self._modules.items():
            if child is not None:
                child._load(state_dict, f"{prefix}{name}.", missing, unexpected, errors)


def key_errors(kind, keys):
    """Return a list with the complaint about these keys, or with nothing."""
    if not keys:
        return []
    listed = ", ".join([f'"{key}"' for key in keys])
    return [f"{kind} key(s) in state_dict: {listed}. "]


# --- parameters, buffers and modules by name ------------------------------------------
# Each is found once, also where a module is used twice.

class HasMembers:
    """The part of `Module` that finds what belongs to it."""
    def parameters(self, recurse=True):
        """Yield all parameters; those of the children are included."""
        return (param for _, param in self.named_parameters(recurse=recurse))

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield all parameters with their names, such as ``0.weight``.

        remove_duplicate: a parameter with several names is yielded once.
        """
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """Yield all buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield all buffers with their names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def _named_members(self, kind, prefix, recurse, remove_duplicate):
        modules = [(prefix, self)]
        if recurse:
            modules = self.named_modules(None, prefix, remove_duplicate)
        seen = {id(None)}
        for path, module in modules:
            for name, value in getattr(module, kind).items():
                if id(value) not in seen:
                    if remove_duplicate:
                        seen.add(id(value))
                    yield join(path, name), value

    def children(self):
        """Yield the direct children."""
        return (module for _, module in self.named_children())

    def named_children(self):
        """Yield the direct children with their names."""
        seen = {None}
        for name, module in self._modules.items():
            if module not in seen:
                seen.add(module)
                yield name, module

    def modules(self):
        """Yield this module, its children, their children and so on."""
        return (module for _, module in self.named_modules())

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Yield this module, under the empty name, and all inside, with their names."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = join(prefix, name)
                yield from module.named_modules(seen, path, remove_duplicate)


def join(path, name):
    """Return the name of a part of a part: "0.weight"."""
    return f"{path}.{name}" if path else name
