"""``torch.Size``, the shape of a tensor: a tuple of integers that says what it is."""
from __future__ import annotations

import math
from operator import index


class Size(tuple):
    """The shape of a tensor.  Slices and sums of shapes are shapes again."""

    __slots__ = ()

    def __new__(cls, sizes=()):
        numbers = tuple(sizes)
        for i, n in enumerate(numbers):
            if not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
        return tuple.__new__(cls, map(index, numbers))

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __getitem__(self, place):
        found = tuple.__getitem__(self, place)
        return tuple.__new__(Size, found) if type(place) is slice else found

    def __add__(self, other):
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(tuple.__add__(self, other))


    pass

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

