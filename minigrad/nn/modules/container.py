"""Modules that hold other modules or parameters: in a row, in a list, in a dictionary."""
from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from ...messages import typename
from ...tensor import Tensor
from ..parameter import Parameter
from .module import Module


class _Numbered(Module):
    """What Sequential and ModuleList share: parts named "0", "1", ... in order."""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _key(self, idx):
        """The name of the part at a place, which may count from the end."""
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return list(self._modules)[idx]

    def __setitem__(self, idx, module):
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx):
        for key in list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]:
            delattr(self, key)
        self.__dict__["_modules"] = OrderedDict((str(i), module) for i, module
                                                in enumerate(self._modules.values()))

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Take a module out and return it."""
        module = self[key]
        del self[key]
        return module

    def _shift_in(self, index, module):
        for i in range(len(self._modules), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module


class Sequential(_Numbered):
    """Modules in a row: each one's output is the next one's input.

    The modules are the arguments, or the values of one OrderedDict, whose keys are then their names.
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def insert(self, index, module):
        """Put a module before the one at this place."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._shift_in(index + len(self) if index < 0 else index, module)
        return self

    def extend(self, sequential):
        """Add several modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other):
        return Sequential(*self).extend(self._checked(other))

    def __iadd__(self, other):
        return self.extend(list(self._checked(other)))

    def _checked(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is "
                             "given.")
        return other

    def __mul__(self, other):
        self._check_factor(other)
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other):
        self._check_factor(other)
        return self.extend(list(self) * (other - 1))

    def _check_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")


class ModuleList(_Numbered):
    """A list of modules whose parameters are found, unlike those in a Python list."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._key(idx)]

    def insert(self, index, module):
        """Put a module before the one at this place."""
        self._shift_in(index, module)

    def extend(self, modules):
        """Add several modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got "
                            f"{type(modules).__name__}")
        for i, module in enumerate(modules, len(self)):
            self.add_module(str(i), module)
        return self

    __iadd__ = extend

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __repr__(self):
        """Equal modules in succession are shown once, with their number."""
        runs = []
        for i, shown in enumerate([repr(module) for module in self]):
            if runs and runs[-1][2] == shown:
                runs[-1][1] = i
            else:
                runs.append([i, i, shown])
        if not runs:
            return f"{self._get_name()}()"
        lines = [f"({first}): {shown}" if first == last else f"({first}-{last}): {last - first + 1} x {shown}"
                 for first, last, shown in runs]
        body = "\n".join(lines).replace("\n", "\n  ")
        return f"{self._get_name()}(\n  {body}\n)"


class ModuleDict(Module):
    """A dictionary of modules whose parameters are found."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

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

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key):
        """Take a module out and return it."""
        return self._modules.pop(key)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        """Add the modules of a dictionary, or of a list of (key, module) pairs."""
        for key, module in pairs(modules, "ModuleDict", "ModuleDict"):
            self[key] = module


def pairs(entries, container, caller):
    """The (key, value) pairs of a dictionary or a list of pairs."""
    if not isinstance(entries, Iterable):
        raise TypeError(f"{caller}.update should be called with an iterable of key/value pairs, but got "
                        f"{type(entries).__name__}")
    if isinstance(entries, (Mapping, ModuleDict, ParameterDict)):
        return list(entries.items())
    for i, entry in enumerate(entries := list(entries)):
        if not isinstance(entry, Iterable):
            raise TypeError(f"{container} update sequence element #{i} should be Iterable; "
                            f"is{type(entry).__name__}")
        if len(entry) != 2:
            raise ValueError(f"{container} update sequence element #{i} has length {len(entry)}; 2 is "
                             "required")
    return entries


def as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def described(key, value, kind):
    """A line of the printed form of a ParameterList or ParameterDict."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join([str(n) for n in value._array.shape])
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {what} containing: [{kind} of size {size}]"


class ParameterList(Module):
    """A list of parameters that are found; a tensor put in becomes a Parameter."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _key(self, idx):
        idx = operator.index(idx)
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return str(idx % len(self))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)([self[i] for i in range(*idx.indices(len(self)))])
        return getattr(self, self._key(idx))

    def __setitem__(self, idx, param):
        setattr(self, self._key(idx), as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def append(self, value):
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """Add several values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got "
                            f"{type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def extra_repr(self):
        return "\n".join([described(i, value, getattr(value, "dtype", None)) for i, value in enumerate(self)])

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters that are found; a tensor put in becomes a Parameter."""

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return getattr(self, self._checked(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, self._checked(key), as_parameter(value))

    def _checked(self, key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string "
                            f"(type is '{type(key).__name__}'). Open an issue on github if you need "
                            "non-string keys.")
        return key

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def keys(self):
        return self._keys.keys()

    def items(self):
        return [(key, self[key]) for key in self._keys]

    def values(self):
        return [self[key] for key in self._keys]

    def get(self, key, default=None):
        """The value of this key, or `default`."""
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        """The value of this key, which becomes `default` if it was not there."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        """Take a value out and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Take out the last key and its value and return both."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self):
        """Take everything out."""
        for key in list(self._keys):
            del self[key]

    def copy(self):
        """Another dictionary with the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def update(self, parameters):
        """Add the entries of a dictionary (a plain one in the order of its keys), or of a list of pairs."""
        entries = pairs(parameters, "ParameterDict", "ParametersDict")
        is_plain = isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict)
        for key, value in sorted(entries) if is_plain else entries:
            self[key] = value

    def extra_repr(self):
        return "\n".join([described(key, value, typename(value)) for key, value in self.items()])

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")
