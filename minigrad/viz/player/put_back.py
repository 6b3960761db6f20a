"""Puts back what a backward pass changes: every `.grad`, and what a watch notes of it."""
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..graph.records import forget_since, record_of
from ..graph.walk import in_forward_order, leaves_of
from ..program.names import Names


@contextmanager
def puts_back(roots: Sequence[Any], names: Names) -> Iterator[None]:
    """Let a pass in the block add to copies; afterwards all is as it was."""
    nodes = in_forward_order([root.grad_fn for root in roots if root.grad_fn is not None])
    grads = [(tensor, tensor.grad) for tensor in keepers(roots, nodes, names)]
    noted = [(node, dict(record_of(node))) for node in nodes]
    for tensor, grad in grads:
        if grad is not None:
            tensor.grad = grad.clone()      # a pass may add to a gradient in place
    try:
        yield
    finally:
        for tensor, grad in grads:
            tensor.grad = grad
        for node, facts in noted:
            forget_since(node, facts)


def keepers(roots: Sequence[Any], nodes: Sequence[Any], names: Names) -> list[Any]:
    """Return the tensors whose `.grad` a pass may fill: leaves, and results that retain theirs."""
    leaves = leaves_of(nodes) + [root for root in roots if root.grad_fn is None]
    held = [tensor for node in nodes for _, tensor in names.outputs(node).values()]
    retaining = [one for one in (*held, *roots) if getattr(one, "retains_grad", False)]
    return list({id(tensor): tensor for tensor in (*leaves, *retaining)
                 if tensor.requires_grad}.values())
