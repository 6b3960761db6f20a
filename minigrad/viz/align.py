"""Which operation of one graph is which of another, for `diff`.

First operations with the same history, from the leaves up; then from the roots down, input by input; then
whatever stands beside operations that are aligned already.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .model import Graph, Input, Op
from .order import in_order

Pairs = dict[int, int]  # operation of the first graph -> operation of the second


def reach(graph: Graph, root: Any) -> set[int]:
    """The operations behind a root."""
    stack, found = [root[0]] if isinstance(root, tuple) else [], set()
    while stack:
        at = stack.pop()
        if at not in found:
            found.add(at)
            stack += [entry.op for entry in graph.ops[at].inputs if entry.op is not None]
    return found


def align(graph: Graph, sides: list[set[int]]) -> Pairs:
    """Which operation of the first graph is which of the second; every operation at most once."""
    first, second = sides
    pairs: Pairs = {at: at for at in first & second}
    from_leaves(graph, sorted(first - second), sorted(second - first), pairs)
    from_roots(graph, pairs)
    in_between(graph, first, second, pairs)
    return pairs


def from_leaves(graph: Graph, first: list[int], second: list[int], pairs: Pairs) -> None:
    """Operations with the same history, however long."""
    kinds: dict[Any, int] = {}  # description -> number; the numbers keep descriptions short
    number: dict[int, int] = {}
    shared = {at: ("shared", at) for at in pairs}
    waiting = defaultdict(list)
    for at in sorted({*first, *second, *pairs}):
        op = graph.ops[at]
        history = tuple(
            (number.get(entry.op), entry.output_nr) if entry.op is not None else looks(entry)
            for entry in op.inputs
        )
        number[at] = kinds.setdefault(shared.get(at) or (kind(op), tuple(op.settings), history), len(kinds))
    for at in first:
        waiting[number[at]].append(at)
    for at in second:
        if waiting[number[at]]:
            pairs[waiting[number[at]].pop(0)] = at


def kind(op: Op) -> Any:
    return (op.name, op.leaf.name, op.leaf.shape) if op.leaf is not None else (op.name,)


def looks(entry: Input) -> Any:
    constant = entry.constant
    return (entry.name,) if constant is None else (constant.name, constant.shape, constant.values)


def from_roots(graph: Graph, pairs: Pairs) -> None:
    """The same operations, input by input, for as long as they are the same."""
    one, other = graph.roots
    stack = [(one[0], other[0])] if isinstance(one, tuple) and isinstance(other, tuple) else []
    while stack:
        a, b = stack.pop()
        if a not in pairs and b not in pairs.values() and kind(graph.ops[a]) == kind(graph.ops[b]):
            pairs[a] = b
        if pairs.get(a) == b and a != b:
            both = zip(graph.ops[a].inputs, graph.ops[b].inputs)
            stack += [(x.op, y.op) for x, y in both if x.op is not None and y.op is not None]


def in_between(graph: Graph, first: set[int], second: set[int], pairs: Pairs) -> None:
    """An operation on each side, alike and with an aligned neighbour on the same side of it."""
    users, taken, changed = users_of(graph), set(pairs.values()), True
    while changed:
        changed = False
        for a in sorted(first - pairs.keys()):
            inputs = [pairs[entry.op] for entry in graph.ops[a].inputs if entry.op in pairs]
            near = {user for at in inputs for user in users[at]}
            for user in users[a] & pairs.keys():
                near |= {entry.op for entry in graph.ops[pairs[user]].inputs if entry.op is not None}
            for b in sorted(near & second - taken):
                if kind(graph.ops[a]) == kind(graph.ops[b]) and sorts({**pairs, a: b}, graph, first, second):
                    pairs[a], changed = b, True
                    taken.add(b)
                    break


def users_of(graph: Graph) -> list[set[int]]:
    """For each operation those that use it."""
    users: list[set[int]] = [set() for _ in graph.ops]
    for at, op in enumerate(graph.ops):
        for entry in op.inputs:
            if entry.op is not None:
                users[entry.op].add(at)
    return users


def sorts(pairs: Pairs, graph: Graph, first: set[int], second: set[int]) -> bool:
    """Whether both graphs, laid on each other, still have an order in which every edge runs forward."""
    return order_of(graph, first, second, pairs) is not None


def order_of(graph: Graph, first: set[int], second: set[int], pairs: Pairs) -> list[int] | None:
    own = {b: a for a, b in pairs.items()}  # a pair goes by the number it has in the first graph
    items = sorted({own.get(at, at) if at in second else at for at in first | second})
    edges = [
        (own.get(entry.op, entry.op), own.get(at, at))
        for at in first | second
        for entry in graph.ops[at].inputs
        if entry.op is not None
    ]
    order = in_order(items, edges)
    return order if len(order) == len(items) else None
