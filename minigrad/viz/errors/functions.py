"""Causes in custom Functions of the program, which the engine calls."""
from __future__ import annotations

from functools import partial

from .table import row as any_row

row = partial(any_row, about="node")

row("wrong number of gradients",
    r"function (\w+)Backward returned an incorrect number of gradients "
    r"\(expected (\d+), got (\d+)\)",
    "ran the backward of your Function {0}, which returned {2} gradients for {1} arguments of its "
    "forward.",
    "It has to return one for each argument after ctx, and None for an argument that takes no "
    "gradient.",
    "Return a gradient or None for each argument of forward, in their order.")
row("gradient of a wrong shape",
    r"[Ff]unction (\w+) returned an invalid gradient at index (\d+) - got (\[.*?\]) but "
    r"expected shape compatible with (\[.*?\])",
    "received a gradient of shape {2} from {0} for its input {1}, which has the shape {3}.",
    "A gradient has the shape of the tensor that it belongs to.",
    "Return a gradient of shape {3}, for instance by summing over the other dimensions.")
row("gradient for what is no tensor",
    r"function (\w+)Backward returned a gradient different than None at position (\d+)",
    "received a gradient from your Function {0} for argument {1} of its forward, which was no "
    "tensor.",
    "Only tensors have gradients.", "Return None at that place.")
row("gradient that is no tensor", r"expected Variable or None \(got ([\w.]+)\)",
    "received a value of type {0} from the backward of {it}.",
    "A backward returns tensors, and None for arguments without a gradient.",
    "Return a tensor, computed with the tensor's own operations.")
row("no backward", r"You must implement either the backward or vjp method",
    "reached {it}, a Function without a backward.",
    "The engine can't know the gradient of a Function: its author has to write it.",
    "Write its `@staticmethod def backward(ctx, grad)`.",
    ("Give it tensors that require no gradient: `x.detach()`.", "no gradient flows through it"))
