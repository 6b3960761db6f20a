"""A graph in which each leaf is reached on two paths, for the tests of the player and of free mode."""
import importlib
import os

import pytest

from minigrad.viz.drawing import render

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))
pictures = pytest.mark.skipif(not render.dot_program().exists(), reason="pip install graphviz-pure")


def leaf(values):
    return torch.tensor(values, requires_grad=True)


def diamond():
    a, b = leaf(2.0), leaf(3.0)
    c, d = a + b, a * b
    y = (c + d) + (c * d)
    return y, {"a": a, "b": b, "c": c, "d": d, "y": y}
