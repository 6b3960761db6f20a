"""Results with names: tuples such as ``torch.return_types.max(values=..., indices=...)``."""
from __future__ import annotations

from operator import itemgetter


class NamedResult(tuple):
    """Numbers and their places in a tensor: a tuple whose two items have names."""

    __slots__ = ()
    values, indices = property(itemgetter(0)), property(itemgetter(1))

    def __repr__(self):
        return (f"torch.return_types.{type(self).__name__}(\n"
                f"values={self.values!r},\nindices={self.indices!r})")


def named(name):
    return type(name, (NamedResult,), {"__slots__": (), "__module__": "torch.return_types"})


max, min, median, sort, topk = map(named, ("max", "min", "median", "sort", "topk"))
