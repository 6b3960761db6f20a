"""How large a graph is: its nodes, and the bytes of the tensors that its operations have saved."""
from __future__ import annotations

from typing import Any

from ...viz.graph.facts import is_tensor
from ...viz.graph.kept import saved_by


def saved_bytes(*results: Any) -> int:
    """Add up the saved tensors in the graphs behind `results`, each once, however often it was saved.

        saved_bytes(loss)       8000: two tensors of 1000 numbers, say

    A freed tensor counts as nothing, and so does a result that has no graph.
    """
    sizes = {}
    for node in nodes_behind(*results):
        for _, _, value, _ in saved_by(node):
            if is_tensor(value):
                sizes[value.data_ptr()] = value.nbytes
    return sum(sizes.values())


def count_nodes(result: Any) -> int:
    """Return the number of nodes in the graph behind a result, each counted once.

        count_nodes(loss)       9

    Raises:
        ValueError: the result has no graph.
    """
    if result.grad_fn is None:
        raise ValueError("this tensor has no graph; count_nodes wants the result of a recorded operation")
    return len(nodes_behind(result))


def nodes_behind(*results: Any) -> list[Any]:
    """The nodes of the graphs behind `results`, each once."""
    nodes = [result.grad_fn for result in results if result.grad_fn is not None]
    seen = set(nodes)
    for node in nodes:  # the list grows while it is read, until there is no node behind
        for behind, _ in node.next_functions:
            if behind is not None and behind not in seen:
                seen.add(behind)
                nodes.append(behind)
    return nodes
