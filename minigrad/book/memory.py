"""How much memory a graph keeps: the bytes of the tensors that its operations have saved."""
from __future__ import annotations

from typing import Any

from ..viz.facts import is_tensor
from ..viz.kept import saved_by


def saved_bytes(*results: Any) -> int:
    """Add up the saved tensors in the graphs behind `results`, each once, however often it was saved.

        saved_bytes(loss)       8000: two tensors of 1000 numbers, say

    A freed tensor counts as nothing, and so does a result that has no graph.
    """
    nodes = [result.grad_fn for result in results if result.grad_fn is not None]
    seen, sizes = set(nodes), {}
    for node in nodes:  # the list grows while it is read, until there is no node behind
        for _, _, value, _ in saved_by(node):
            if is_tensor(value):
                sizes[value.data_ptr()] = value.nbytes
        for behind, _ in node.next_functions:
            if behind is not None and behind not in seen:
                seen.add(behind)
                nodes.append(behind)
    return sum(sizes.values())
