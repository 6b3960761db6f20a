"""`diff(a, b)`: two graphs in one picture, and in words what the second has that the first has not.

Both are read together, so what they share is the same operation from the start; `align` pairs the
rest and lays the two on each other. Shared boxes are pale and drawn once.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..graph.collection import held_back
from ..graph.model import Graph, Input, Tensor
from ..program.names import find_names
from ..program.read import read
from .align import Pairs, align, reach, union
from .draw import targets_of
from .explanation import Explanation
from .fold import fold
from .graph_views import view_of
from .text_twin import listed

NUMBERS = "no one two three four five six".split()


def diff(a: Any, b: Any, *, view: str = "engine", names: Any = None,
         max_nodes: int | None = 40) -> Explanation:
    """Draw what changed from the graph behind `a` to the graph behind `b`.

    Args:
        a, b: tensors, or nodes.
        view: "engine" or "maths", as in `draw`.
        names: as in `draw`.
        max_nodes: a larger picture folds its middle; what changed is never folded.

    Returns: A Drawing with sentences: pale boxes are in both graphs, "added" in the second,
        "removed" in the first.
    """
    view_as = view_of(view)
    targets = [*targets_of(a), *targets_of(b)]
    if len(targets) != 2:
        raise TypeError("diff() compares two graphs: give it one tensor and another")
    found = find_names(names)
    with held_back():
        graph = read(targets, found)
        sides = [reach(graph, root) for root in graph.roots]
        pairs = align(graph, sides)
        both = union(graph, sides, pairs)
    title = " to ".join(root_name(graph, root) for root in graph.roots)
    picture = view_as(both)
    picture.title = f"What changed from {title}, {view} view"
    sentences = told(graph, sides, pairs)
    picture.caption = " ".join(sentences)
    return Explanation("diff", f"From {title}", sentences, [], fold(picture, max_nodes))


def told(graph: Graph, sides: list[set[int]], pairs: Pairs) -> list[str]:
    """What changed, from the roots to the leaves."""
    gone = sorted(sides[0] - pairs.keys(), reverse=True)
    new = sorted(sides[1] - set(pairs.values()), reverse=True)
    constants = [root_name(graph, root) for root in graph.roots if isinstance(root, Tensor)]
    if constants:
        return [f"{constants[0]} is a tensor without history: there is nothing to compare."]
    sentences = []

    def operations(ops: Iterable[int]) -> list[int]:
        return [at for at in ops if graph.ops[at].kind == "op"]

    for ops, word, reached in ((gone, "is gone", "No gradient reaches {} any more."),
                               (new, "was added", "Now a gradient reaches {}.")):
        for at in ops:
            leaf = graph.ops[at].leaf
            sentences.append(reached.format(leaf.name or "a leaf") if leaf is not None else
                             f"{title(graph, at)} with {edges(graph, at)} {word}.")
    same = {b: b for b in pairs.values()}
    for a in sorted(operations(pairs), reverse=True):
        b = pairs[a]
        if not told_already(graph, a, b, pairs, same):
            sentences.append(f"{title(graph, b)} had {edges(graph, a)} and now has "
                             f"{edges(graph, b)}.")
    count = len(operations(pairs))
    if not sentences:
        return [f"The two graphs are alike: {count} operation{'s' * (count != 1)}, with the same "
                f"edges."]
    many = NUMBERS[count].capitalize() if count < len(NUMBERS) else str(count)
    return [*sentences, f"{many} operation{'s are' if count != 1 else ' is'} in both."]


def told_already(graph: Graph, a: int, b: int, pairs: Pairs, same: Pairs) -> bool:
    """Whether the edges of a pair are the same, or differ only where operations came or went.

    `same` pairs each operation of the second graph that has one with itself.
    """
    mine, its = (Counter(None if entry.op is None else known.get(entry.op, "told")
                         for entry in graph.ops[at].inputs)
                 for at, known in ((a, pairs), (b, same)))
    return mine == its


def title(graph: Graph, at: int) -> str:
    """The operation, and what it made, if that has a name."""
    names = [tensor.name for tensor in graph.ops[at].outputs.values() if tensor.name.isidentifier()]
    return graph.ops[at].name + (f" (made {names[0]})" if names else "")


def edges(graph: Graph, at: int) -> str:
    """`two edges to x`, `one edge to x and one to a constant`."""
    ends = Counter(end_name(graph, entry, (at, nr)) for nr, entry in graph.ops[at].given())
    parts: list[str] = []
    for end, count in ends.items():
        word = "" if parts else " edge" if count == 1 else " edges"
        parts.append(f"{NUMBERS[count] if count < 7 else count}{word} to {end}")
    return listed(parts or ["no edges"])


def end_name(graph: Graph, entry: Input, place: tuple[int, int]) -> str:
    if entry.op is None:
        name = entry.constant.name if entry.constant is not None else entry.name
        keys = (place, entry.constant.key if entry.constant is not None else place)
        word = next((f", cut off by {cut.word}" for cut in graph.cuts if cut.target in keys), "")
        return (f"the constant {name}" if name.isidentifier() else "a constant") + word
    op = graph.ops[entry.op]
    if op.leaf is not None:
        return op.leaf.name or "a leaf"
    tensor = op.outputs.get(entry.output_nr)
    return tensor.name if tensor is not None and tensor.name.isidentifier() else op.name


def root_name(graph: Graph, root: Any) -> str:
    tensor = root if isinstance(root, Tensor) else graph.ops[root[0]].outputs.get(root[1])
    if tensor is not None and tensor.name:
        return tensor.name
    return "a tensor" if isinstance(root, Tensor) else graph.ops[root[0]].name
