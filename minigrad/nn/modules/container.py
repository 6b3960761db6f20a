"""Modules that hold other modules or parameters: in a row, in a list, in a dictionary."""
from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from ...errors import typename
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


    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Take a module out and return it."""
        module = self[key]
        del self[key]
        return module


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


    def _checked(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is "
                             "given.")
        return other


    pass


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


def described(key, value, kind):
    """A line of the printed form of a ParameterList or ParameterDict."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    size = "x".join([str(n) for n in value._array.shape])
    what = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"  ({key}): {what} containing: [{kind} of size {size}]"


