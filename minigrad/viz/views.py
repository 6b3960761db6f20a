"""From a `Graph` to one of its two pictures.

The engine view shows what backward will run: the recorded operations and the edges between them, with an
AccumulateGrad in front of every leaf. The maths view shows the same graph as a formula: tensors, and
operations between them. Both run from left to right in forward direction, so one can look from one to the
other.
"""

from __future__ import annotations

import re
from collections import defaultdict

from .model import Arrow, Box, Graph, Input, Op, Picture, Tensor

SYMBOLS = {
    "Add": "+", "Sub": "\N{MINUS SIGN}", "Mul": "\N{MULTIPLICATION SIGN}", "Div": "\N{DIVISION SIGN}",
    "Pow": "**", "Mm": "@", "Mv": "@", "Dot": "@", "Bmm": "@", "Neg": "\N{MINUS SIGN}( )", "T": "transpose",
}


def engine_view(graph: Graph, saved: bool = True) -> Picture:
    draft = _Draft("engine", graph)
    roots = [root for root in graph.roots if not isinstance(root, Tensor)]  # these have boxes of their own
    at: dict[int, int] = {}  # index of an operation -> position of its box
    for index, op in enumerate(graph.ops):
        if op.kind == "accumulate":
            leaf = draft.tensor(op.leaf)
            drawer = f"{op.leaf.name}.grad" if op.leaf.name else ".grad"
            at[index] = draft.add(Box("accumulate", op.name, [f"{drawer} += ..."]))
            draft.arrow(leaf, at[index], "variable")
            continue
        sources = [draft.constant(entry) if entry.op is None else at[entry.op] for entry in op.inputs]
        shown = {nr for owner, nr in roots if owner == index}
        at[index] = here = draft.add(_op_box(op, op.name, without=shown))
        draft.picture.boxes[here].saved = op.saved if saved else []
        for nr, (entry, source) in enumerate(zip(op.inputs, sources, strict=True)):
            kind = "none" if entry.op is None else "next"
            draft.arrow(source, here, kind, nr if len(op.inputs) > 1 else None)
    for root in graph.roots:
        if isinstance(root, Tensor):
            draft.tensor(root)
        elif (tensor := graph.ops[root[0]].outputs.get(root[1])) is not None:
            here = draft.tensor(tensor)
            draft.picture.boxes[here].grad_fn = True
            draft.arrow(at[root[0]], here, "grad_fn")
    return draft.picture


def maths_view(graph: Graph, saved: bool = True) -> Picture:
    draft = _Draft("maths", graph)
    made: dict[tuple[int, int], int] = {}  # (operation, output_nr) -> position of the tensor's box
    wanted = _outputs_in_use(graph)
    for index, op in enumerate(graph.ops):
        if op.kind == "accumulate":
            made[index, 0] = draft.tensor(op.leaf)
            continue
        sources = [draft.constant(entry) if entry.op is None else made[entry.op, entry.output_nr]
                   for entry in op.inputs]
        here = draft.add(_op_box(op, symbol(op.name), without=set(op.outputs)))
        for nr, source in enumerate(sources):
            draft.arrow(source, here, "value", nr if len(op.inputs) > 1 else None)
        for nr in sorted(wanted[index]):
            made[index, nr] = draft.tensor(op.outputs.get(nr, Tensor("interior")))
            draft.arrow(here, made[index, nr], "value")
    for root in graph.roots:
        if isinstance(root, Tensor):
            draft.tensor(root)
    return draft.picture


def symbol(name: str) -> str:
    """MulBackward0 -> the multiplication sign; LogSoftmaxBackward0 -> log_softmax."""
    stem = re.sub(r"Backward\d*$", "", name)
    return SYMBOLS.get(stem) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", stem).lower()


def tensor_words(tensor: Tensor) -> str:
    """The line under a tensor's name: what it is, its shape, its version."""
    word = "tensor" if tensor.kind == "interior" else tensor.kind
    parts = [word if tensor.shape is None else f"{word} {tensor.shape}"]
    if tensor.version is not None:
        parts.append(f"version {tensor.version}")
    return ", ".join(parts)


class _Draft:
    """A picture in the making; a tensor that turns up twice is one box."""

    def __init__(self, view: str, graph: Graph) -> None:
        self.picture = Picture(view, _title(graph, view))
        self.known: dict[int, int] = {}

    def add(self, box: Box) -> int:
        self.picture.boxes.append(box)
        return len(self.picture.boxes) - 1

    def arrow(self, tail: int, head: int, kind: str, argument: int | None = None) -> None:
        self.picture.arrows.append(Arrow(tail, head, kind, argument))

    def tensor(self, tensor: Tensor) -> int:
        if tensor.key is not None and tensor.key in self.known:
            return self.known[tensor.key]
        words = tensor_words(tensor)
        kind = "tensor" if tensor.kind == "interior" else tensor.kind
        lines = [words] if tensor.name else []
        at = self.add(Box(kind, tensor.name or words, lines, tensor))
        if tensor.key is not None:
            self.known[tensor.key] = at
        return at

    def constant(self, entry: Input) -> int:
        if entry.constant is not None:
            return self.tensor(entry.constant)
        return self.add(Box("constant", "constant", ["value not kept"]))


def _op_box(op: Op, title: str, without: set[int]) -> Box:
    """`without`: the outputs that the picture shows as boxes of their own."""
    made = [tensor for nr, tensor in sorted(op.outputs.items()) if tensor.name and nr not in without]
    lines = [f"{slot} = {value}" for slot, value in op.settings]
    words = [f"{tensor.name} {tensor.shape}" for tensor in made]
    words += [f"{tensor.name}.grad {tensor.grad}" for tensor in made if tensor.grad]  # retained
    return Box("op", title, lines, made=words, arguments=len(op.inputs) if len(op.inputs) > 1 else 0)


def _outputs_in_use(graph: Graph) -> dict[int, set[int]]:
    wanted: dict[int, set[int]] = defaultdict(set)
    for op in graph.ops:
        for entry in op.inputs:
            if entry.op is not None:
                wanted[entry.op].add(entry.output_nr)
    for root in graph.roots:
        if not isinstance(root, Tensor):
            wanted[root[0]].add(root[1])
    return wanted


def _title(graph: Graph, view: str) -> str:
    words = []
    for root in graph.roots:
        tensor = root if isinstance(root, Tensor) else graph.ops[root[0]].outputs.get(root[1])
        if tensor is None:
            words.append(graph.ops[root[0]].name)
        else:
            words.append(tensor.name or f"a {tensor_words(tensor)}")
    return f"Graph behind {' and '.join(words)}, {view} view"
