"""Dropout: during training, elements are set to zero at random."""
from __future__ import annotations

from .. import functional
from .module import Module


class _Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zero with probability p, else input / (1 - p); after ``eval()`` the input itself."""

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)


