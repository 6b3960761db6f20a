"""Modules in a row."""
from collections import OrderedDict

from .module import Module


class Numbered(Module):
    """The base class of modules whose children are in order, named "0", "1", ..."""
    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _name(self, idx):
        """Return the name of the child at an index, which may count from the end."""
        if not -len(self) <= idx < len(self):
            raise IndexError(f"index {idx} is out of range")
        return list(self._modules)[idx]

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            children = list(self._modules.items())[idx]
            return type(self)(OrderedDict(children))
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
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input
