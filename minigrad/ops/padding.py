"""Padding with what is there already: mirrored at the border, the border itself repeated, or from around."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from ..messages import not_implemented_for
from .elementwise import zeros_like
from .slicing import _slice


def mirrored(n, before, after):
    """The place that each place of the padded dimension takes its number from."""
    return (n - 1) - np.abs((n - 1) - np.abs(np.arange(-before, n + after)))


def repeated(n, before, after):
    return np.clip(np.arange(-before, n + after), 0, n - 1)


def padding_of(kind, places, count):
    """The operation that pads the last `count` dimensions; `padding` begins with the last of them."""
    name = f"{kind}Pad{count}D"

    def along(shape, padding):
        return [places(shape[-1 - i], padding[2 * i], padding[2 * i + 1]) for i in range(count)]

    @differentiable(f"{name}Backward0", self=lambda grad, self, padding: back(grad, self, padding))
    def pad(self, padding):
        if self.dtype.kind == "b":
            raise not_implemented_for(f"{kind.lower()}_pad{count}d", self.dtype)
        check(self.shape, padding, places is mirrored)
        for dim, found in enumerate(along(self.shape, padding), 1):
            self = np.take(self, found, -dim)
        return np.ascontiguousarray(self)

    @differentiable(f"{name}BackwardBackward0", grad_output=lambda grad, padding: pad(grad, padding),
                    self=lambda grad, self: zeros_like(self))
    def back(grad_output, self, padding):
        """Each number gets the gradients of all its copies."""
        for dim, found in enumerate(along(self.shape, padding), 1):
            turned = np.moveaxis(grad_output, -dim, 0)
            total = np.zeros((self.shape[-dim], *turned.shape[1:]), turned.dtype)
            np.add.at(total, found, turned)
            grad_output = np.moveaxis(total, 0, -dim)
        return np.ascontiguousarray(grad_output)
    return pad


def check(shape, padding, mirror):
    """Refuse what is padded to nothing, and mirrors too small for what they are to show."""
    count = len(padding) // 2
    if 0 in shape[len(shape) - 1 - count:]:
        raise RuntimeError(f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch "
                           f"size and other non-zero dimensions for input, but got: {list(shape)}")
    for i in range(count):
        before, after, n = padding[2 * i], padding[2 * i + 1], shape[-1 - i]
        if mirror and max(before, after) >= n:
            raise RuntimeError(f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding "
                               f"input dimension, but got: padding ({before}, {after}) at dimension "
                               f"{len(shape) - 1 - i} of input {list(shape)}")
    sizes = [shape[-1 - i] + padding[2 * i] + padding[2 * i + 1] for i in range(count)]
    if min(sizes) < 1:
        letters = "WHD"[:count]
        was = " ".join([f"{letter}: {shape[-1 - i]}" for i, letter in reversed(list(enumerate(letters)))])
        now = " ".join([f"{letter}: {sizes[i]}" for i, letter in reversed(list(enumerate(letters)))])
        raise RuntimeError(f"input ({was}) is too small. Calculated output {now}")


BY_MODE = {"reflect": [padding_of("Reflection", mirrored, count) for count in (1, 2, 3)],
           "replicate": [padding_of("Replication", repeated, count) for count in (1, 2, 3)]}


def circular(self, padding):
    """Padded with what lies at the other end, dimension by dimension: so the corners come from corners."""
    shape, count = self._array.shape, len(padding) // 2
    dims = [(len(shape) - 1 - i, padding[2 * i], padding[2 * i + 1]) for i in range(count)]
    sizes = list(shape)
    for dim, before, after in dims:
        if max(before, after) > shape[dim]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        sizes[dim] += before + after
        if sizes[dim] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    result = self.new_empty(sizes)
    inside, source = result, self
    for dim, before, after in dims:
        inside = _slice(inside, dim, max(before, 0), sizes[dim] - max(after, 0), 1)
        source = _slice(source, dim, max(-before, 0), shape[dim] - max(-after, 0), 1)
    inside.copy_(source)
    for dim, before, after in dims:
        end = sizes[dim] - max(after, 0)
        if before > 0:
            _slice(result, dim, 0, before, 1).copy_(_slice(result, dim, end - before, end, 1))
        if after > 0:
            begin = max(before, 0)
            _slice(result, dim, sizes[dim] - after, sizes[dim], 1).copy_(
                _slice(result, dim, begin, begin + after, 1))
    return result
