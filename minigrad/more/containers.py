"""Lists and dictionaries of modules, and lists of parameters."""
from collections.abc import Iterable, MutableMapping
from itertools import groupby

from ..nn.modules.containers import Numbered
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..tensor import Tensor


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
        if isinstance(param, Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        setattr(self, self._name(idx), param)

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
