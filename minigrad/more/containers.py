"""Lists and dictionaries of parameters, in which tensors become parameters."""
from collections import OrderedDict
from collections.abc import Iterable, Mapping, MutableMapping
from itertools import groupby

from ..errors import old_type_name
from ..nn.modules.layers import Numbered
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..tensor import Tensor


def as_parameter(value):
    """Return a tensor as a parameter, and anything else itself."""
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


class ParameterList(Module):
    """A list of parameters that a module finds; tensors in it become parameters.

        self.weights = nn.ParameterList([torch.ones(2), torch.zeros(3)])
    """
    def __init__(self, values=()):
        super().__init__()
        self._size = 0
        self.extend(() if values is None else values)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(self._size)])

    def _name(self, idx):
        if not -self._size <= idx < self._size:
            raise IndexError(f"index {idx} is out of range")
        return str(idx % self._size)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return ParameterList(list(self)[idx])
        return getattr(self, self._name(idx))

    def __setitem__(self, idx, param):
        setattr(self, self._name(idx), as_parameter(param))

    def append(self, value):
        """Add a parameter at the end."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values):
        """Add several parameters at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got "
                f"{type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values):
        return self.extend(values)

    def extra_repr(self):
        lines = []
        for i, param in enumerate(self):
            text = f"Object of type: {type(param).__name__}"
            if isinstance(param, Parameter):
                size = "x".join(map(str, param.shape))
                text = f"Parameter containing: [{param.dtype} of size {size}]"
            lines.append(f"  ({i}): {text}")
        return "\n".join(lines)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters that a module finds; its keys are texts.

        self.weights = nn.ParameterDict({"left": torch.ones(2)})

    As in PyTorch, the keys of a plain dictionary are sorted.
    """
    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def __getitem__(self, key):
        return getattr(self, key)

    def __setitem__(self, key, value):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a "
                f"string (type is '{type(key).__name__}'). Open an issue on github if "
                "you need non-string keys.")
        self._keys[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def keys(self):
        """Return the keys."""
        return self._keys.keys()

    def values(self):
        """Yield the parameters."""
        return (self[key] for key in self._keys)

    def items(self):
        """Yield the keys with their parameters."""
        return ((key, self[key]) for key in self._keys)

    def get(self, key, default=None):
        """Return the parameter of a key, or `default`."""
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        """Return the parameter of a key, which becomes `default` if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        """Remove a key, and return its parameter."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Remove the last key, and return it with its parameter."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self):
        """Remove all keys."""
        for key in list(self._keys):
            del self[key]

    def copy(self):
        """Return another dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def update(self, parameters):
        """Add the parameters of a dictionary, or of pairs of a key and a parameter."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value "
                f"pairs, but got {type(parameters).__name__}")
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = parameters
        for place, pair in enumerate(pairs):
            element = f"ParameterDict update sequence element #{place}"
            if not isinstance(pair, Iterable):
                kind = type(pair).__name__
                raise TypeError(f"{element} should be Iterable; is{kind}")
            if len(pair) != 2:
                raise ValueError(f"{element} has length {len(pair)}; 2 is required")
            self[pair[0]] = pair[1]

    def __or__(self, other):
        joined = self.copy()
        joined.update(other)
        return joined

    def __ior__(self, other):
        self.update(other)
        return self

    def extra_repr(self):
        lines = []
        for key, value in self.items():
            text = f"Object of type: {type(value).__name__}"
            if isinstance(value, Tensor):
                size = "x".join(map(str, value.shape))
                text = f"Parameter containing: [{old_type_name(value)} of size {size}]"
            lines.append(f"  ({key}): {text}")
        return "\n".join(lines)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterDict should not be called.")


# --- containers of modules ------------------------------------------------------------

class ModuleList(Numbered):
    """A list of modules whose parameters are found, unlike those in a Python list."""
    def __init__(self, modules=()):
        super().__init__()
        if isinstance(modules, dict):
            modules = modules.values()
        self.extend(modules or ())

    def _shown_children(self):
        """Show equal modules in succession once, with their number."""
        lines = []
        shown = enumerate([repr(module) for module in self])
        for text, group in groupby(shown, key=lambda pair: pair[1]):
            places = [place for place, _ in group]
            first, last = places[0], places[-1]
            if first == last:
                lines.append(f"({first}): {text}")
            else:
                lines.append(f"({first}-{last}): {len(places)} x {text}")
        return lines


class ModuleDict(Module, MutableMapping):
    """A dictionary of modules whose parameters are found.

        nn.ModuleDict({"a": nn.ReLU()})
    """
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, modules=()):
        super().__init__()
        self.update(modules or ())

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)
