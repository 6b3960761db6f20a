"""Lists and dictionaries of modules."""
from collections.abc import MutableMapping
from itertools import groupby

from ..nn.modules.containers import Numbered
from ..nn.modules.module import Module


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
