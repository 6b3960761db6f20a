"""One graph of two, for `diff`: what is in both once, the rest marked as added or removed.

`align` says which operation of one graph is which of the other: those with the same history; then
those before the roots, as long as they are of the same kind; then those that make the longest
common sequences.
"""
from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from ..graph.box_order import in_order
from ..graph.model import Cut, Graph, Input, Op, Tensor

Pairs = dict[int, int]  # operation of the first graph -> operation of the second


def inputs_of(graph: Graph, at: int) -> list[int]:
    """The operations whose outputs an operation takes."""
    return [entry.op for entry in graph.ops[at].inputs if entry.op is not None]


def reach(graph: Graph, root: Any) -> set[int]:
    """The operations behind a root."""
    stack, found = [root[0]] if isinstance(root, tuple) else [], set()
    while stack:
        at = stack.pop()
        if at not in found:
            found.add(at)
            stack += inputs_of(graph, at)
    return found


def align(graph: Graph, sides: list[set[int]]) -> Pairs:
    """Which operation of the first graph is which of the second; no pairs cross."""
    first, second = sides
    pairs: Pairs = {at: at for at in first & second}
    history = histories(graph, pairs)
    known = {history[at] for at in first} & {history[at] for at in second}
    waiting = defaultdict(list)
    for at in sorted(first - second, reverse=True):
        waiting[history[at]].append(at)
    for at in sorted(second - first):
        if waiting[history[at]]:
            pairs[waiting[history[at]].pop()] = at
    one, other = ([at for at in sorted(side) if history[at] not in known] for side in sides)
    while one and other and kind(graph.ops[one[-1]]) == kind(graph.ops[other[-1]]):
        pairs[one.pop()] = other.pop()
    mine, other_kinds = ([kind(graph.ops[at]) for at in rest] for rest in (one, other))
    for start, its, size in SequenceMatcher(None, mine, other_kinds,
                                            autojunk=False).get_matching_blocks():
        pairs.update(zip(one[start:start + size], other[its:its + size]))
    return pairs


def histories(graph: Graph, shared: Pairs) -> list[int]:
    """A number for each operation, larger than its inputs', and equal for equal histories."""
    numbers: dict[Any, int] = {}  # description -> number; the numbers keep descriptions short
    found: list[int] = []
    for at, op in enumerate(graph.ops):
        inputs = tuple(looks(entry) if entry.op is None else (found[entry.op], entry.output_nr)
                       for entry in op.inputs)
        description = ("shared", at) if at in shared else (kind(op), tuple(op.settings), inputs)
        found.append(numbers.setdefault(description, len(numbers)))
    return found


def kind(op: Op) -> Any:
    return (op.name, op.leaf.name, op.leaf.shape) if op.leaf is not None else (op.name,)


def looks(entry: Input) -> Any:
    constant = entry.constant
    return (entry.name,) if constant is None else (constant.name, constant.shape, constant.values)


def union(graph: Graph, sides: list[set[int]], pairs: Pairs) -> Graph:
    """The operations of both sides, each pair once."""
    own = {b: a for a, b in pairs.items()}  # a pair goes by the number it has in the first graph
    both = sides[0] | sides[1]
    edges = [(own.get(tail, tail), own.get(at, at)) for at in both for tail in inputs_of(graph, at)]
    order = in_order(sorted({own.get(at, at) for at in both}), edges)
    place = {at: nr for nr, at in enumerate(order)}
    place.update({b: place[a] for a, b in pairs.items()})
    result = Graph([laid_over(graph, at, pairs, place) if at in pairs else
                    marked(graph.ops[at], "removed" if at in sides[0] else "added", place)
                    for at in order])
    for root, mark in zip(graph.roots, ("removed", "added")):
        if isinstance(root, Tensor):
            result.roots.append(replace(root, mark=mark))
        elif (place[root[0]], root[1]) not in result.roots:
            result.roots.append((place[root[0]], root[1]))
    result.cuts = [cut for cut in (moved_cut(cut, result, place) for cut in graph.cuts)
                   if cut is not None]
    return result


def moved_cut(cut: Cut, result: Graph, place: dict[int, int]) -> Cut | None:
    """The same cut where its two ends are now."""
    source = cut.source if cut.source.op is None else replace(cut.source, op=place[cut.source.op])
    if not isinstance(cut.target, tuple):
        return replace(cut, source=source)
    op, argument = place[cut.target[0]], cut.target[1]
    found = [nr for nr, entry in enumerate(result.ops[op].inputs)
             if entry.op is None and entry.argument == argument]
    return replace(cut, source=source, target=(op, found[-1])) if found else None


def moved(entry: Input, mark: str, argument: int, place: dict[int, int]) -> Input:
    return replace(entry, op=None if entry.op is None else place[entry.op], mark=mark,
                   argument=argument)


def marked(op: Op, mark: str, place: dict[int, int]) -> Op:
    inputs = [moved(entry, mark, nr, place) for nr, entry in enumerate(op.inputs)]
    outputs = {nr: replace(tensor, mark=mark) for nr, tensor in op.outputs.items()}
    leaf = None if op.leaf is None else replace(op.leaf, mark=mark)
    return replace(op, inputs=inputs, outputs=outputs, leaf=leaf, mark=mark)


def laid_over(graph: Graph, a: int, pairs: Pairs, place: dict[int, int]) -> Op:
    """An operation that both have; its edges may still differ."""
    one, other = graph.ops[a], graph.ops[pairs[a]]
    inputs = []
    for nr, (mine, its) in enumerate(zip_longest(one.inputs, other.inputs)):
        if mine and its and alike(mine, its, pairs):
            inputs.append(moved(its, "same", nr, place))
        else:
            inputs += [moved(entry, mark, nr, place)
                       for entry, mark in ((mine, "removed"), (its, "added")) if entry]
    outputs = {nr: both for nr in {**one.outputs, **other.outputs}
               if (both := both_names(one.outputs.get(nr), other.outputs.get(nr))) is not None}
    return replace(other, inputs=inputs, outputs=outputs, leaf=both_names(one.leaf, other.leaf),
                   mark="same")


def alike(mine: Input, its: Input, pairs: Pairs) -> bool:
    if mine.op is None or its.op is None:
        known = mine.constant is not None and its.constant is not None
        return mine.op is its.op and (not known or looks(mine) == looks(its))
    return pairs.get(mine.op) == its.op and mine.output_nr == its.output_nr


def both_names(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    """One tensor where the two have different names; numbers only where they agree."""
    one, other = one or other, other or one
    if one is None or other is None:
        return None
    names = list(dict.fromkeys(filter(None, (one.name, other.name))))
    values = other.values if one.values == other.values else ""
    return replace(other, name=" / ".join(names), values=values, mark="same")
