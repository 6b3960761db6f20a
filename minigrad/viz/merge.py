"""One graph of two, for `diff`: what is in both once, the rest marked as added or removed."""

from __future__ import annotations

from dataclasses import replace

from .align import Pairs, looks, order_of
from .model import Cut, Graph, Input, Op, Tensor


def union(graph: Graph, sides: list[set[int]], pairs: Pairs) -> Graph:
    first, second = sides
    own = {b: a for a, b in pairs.items()}
    order = order_of(graph, first, second, pairs)
    place = {at: nr for nr, at in enumerate(order)}
    place.update({b: place[a] for a, b in pairs.items()})
    result = Graph()
    for at in order:
        if at in pairs:
            result.ops.append(laid_over(graph, at, pairs, place))
        else:
            mark = "removed" if at in first and at not in own else "added"
            result.ops.append(marked(graph.ops[at], mark, place))
    for root, mark in zip(graph.roots, ("removed", "added")):
        if isinstance(root, Tensor):
            result.roots.append(replace(root, mark=mark))
        elif (place[root[0]], root[1]) not in result.roots:
            result.roots.append((place[root[0]], root[1]))
    result.cuts = [cut for cut in (moved_cut(cut, result, place) for cut in graph.cuts) if cut is not None]
    return result


def moved_cut(cut: Cut, result: Graph, place: dict[int, int]) -> Cut | None:
    """The same cut where its two ends are now."""
    source = cut.source if cut.source.op is None else replace(cut.source, op=place[cut.source.op])
    if not isinstance(cut.target, tuple):
        return replace(cut, source=source)
    op, argument = place[cut.target[0]], cut.target[1]
    found = [
        nr
        for nr, entry in enumerate(result.ops[op].inputs)
        if entry.op is None and entry.argument == argument
    ]
    return replace(cut, source=source, target=(op, found[-1])) if found else None


def moved(entry: Input, mark: str, argument: int, place: dict[int, int]) -> Input:
    return replace(entry, op=None if entry.op is None else place[entry.op], mark=mark, argument=argument)


def marked(op: Op, mark: str, place: dict[int, int]) -> Op:
    inputs = [moved(entry, mark, nr, place) for nr, entry in enumerate(op.inputs)]
    outputs = {nr: replace(tensor, mark=mark) for nr, tensor in op.outputs.items()}
    leaf = None if op.leaf is None else replace(op.leaf, mark=mark)
    return replace(op, inputs=inputs, outputs=outputs, leaf=leaf, mark=mark)


def laid_over(graph: Graph, a: int, pairs: Pairs, place: dict[int, int]) -> Op:
    """An operation that both have; its edges may still differ."""
    one, other = graph.ops[a], graph.ops[pairs[a]]
    inputs = []
    for nr in range(max(len(one.inputs), len(other.inputs))):
        mine, its = [op.inputs[nr] if nr < len(op.inputs) else None for op in (one, other)]
        if mine is not None and its is not None and alike(mine, its, pairs):
            inputs.append(moved(its, "same", nr, place))
            continue
        inputs += [
            moved(entry, mark, nr, place)
            for entry, mark in ((mine, "removed"), (its, "added"))
            if entry is not None
        ]
    outputs = {}
    for nr in {**one.outputs, **other.outputs}:
        before, after = one.outputs.get(nr), other.outputs.get(nr)
        outputs[nr] = replace(both_names(before or after, after or before), mark="same")
    leaf = None if other.leaf is None else replace(both_names(one.leaf, other.leaf), mark="same")
    return replace(other, inputs=inputs, outputs=outputs, leaf=leaf, mark="same")


def alike(mine: Input, its: Input, pairs: Pairs) -> bool:
    if mine.op is None or its.op is None:
        return mine.op is its.op and (
            mine.constant is None or its.constant is None or looks(mine) == looks(its)
        )
    return pairs.get(mine.op) == its.op and mine.output_nr == its.output_nr


def both_names(one: Tensor, other: Tensor) -> Tensor:
    """One tensor where the two have different names; numbers only where they agree."""
    if one == other:
        return other
    names = list(dict.fromkeys(filter(None, (one.name, other.name))))
    values = other.values if one.values == other.values else ""
    return replace(other, name=" / ".join(names), values=values)
