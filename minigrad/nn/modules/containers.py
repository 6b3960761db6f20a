"""Modules made of other modules: in a row, in a list, in a dictionary."""
from collections import OrderedDict
from collections.abc import MutableMapping
from itertools import groupby

from .module import Module


class Numbered(Module):
    """What Sequential and ModuleList share: children in order, named "0", "1", ..."""
    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _name(self, idx):
        """Return the name of the child at a place, which may count from the end."""
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return list(self._modules)[idx]

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._name(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._name(idx), module)

    def append(self, module):
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Add several modules at the end."""
        for module in modules:
            self.append(module)
        return self


class Sequential(Numbered):
    """Modules in a row: the output of each is the input of the next.

        net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
        net(torch.ones(3, 2)).shape         # torch.Size([3, 1])

    An OrderedDict of modules names them; otherwise they are "0", "1", ...
    """
    def __init__(self, *args):
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(Numbered):
    """A list of modules whose parameters are found, unlike those in a Python list."""
    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules.values() if isinstance(modules, dict) else modules)

    def _shown_children(self):
        """Show equal modules in succession once, with their number."""
        lines = []
        for shown, group in groupby(enumerate(map(repr, self)), key=lambda pair: pair[1]):
            places = [place for place, _ in group]
            lines.append(f"({places[0]}): {shown}" if len(places) == 1
                         else f"({places[0]}-{places[-1]}): {len(places)} x {shown}")
        return lines


class ModuleDict(Module, MutableMapping):
    """A dictionary of modules whose parameters are found: ``nn.ModuleDict({"a": nn.ReLU()})``."""
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, modules=()):
        super().__init__()
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
