"""The library that a test of the engine asks, and what such tests make with it.

MINIGRAD_TEST_BACKEND=torch asks PyTorch.
"""
from __future__ import annotations

import importlib
import os
import re

import pytest

BACKEND = os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad")
torch = importlib.import_module(BACKEND)
Function = torch.autograd.Function


def leaf(*values):
    """Return a leaf without dimensions for one value, and with one dimension for several."""
    return torch.tensor(list(values) if len(values) > 1 else values[0], requires_grad=True)


def list_leaf(*values):
    """Return a leaf with one dimension, also for one value."""
    return torch.tensor(list(values), requires_grad=True)


def make_function(forward, backward=None, name="Made", **attributes):
    """Return a Function with these static methods."""
    methods = {"forward": forward, **({"backward": backward} if backward else {}), **attributes}
    return type(Function)(name, (Function,), {key: staticmethod(value) if callable(value) else value
                                              for key, value in methods.items()})


def first(ctx, *grads):
    """Return the first gradient: the backward of a Function that passes it on."""
    return grads[0]


def raises(kind, message):
    """Expect an error whose text contains this message."""
    return pytest.raises(kind, match=re.escape(message))
