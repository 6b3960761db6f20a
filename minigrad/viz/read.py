"""Reads the graph behind a tensor into a `Graph`, from the public autograd names alone.

`tensor.grad_fn` is the operation that made it, `next_functions` are the operations that made its inputs,
`variable` is the leaf of an AccumulateGrad, and `_saved_self`, `_saved_other` ... are what an operation keeps
for its backward. Reading them runs nothing and changes nothing. Once a backward pass has freed a value,
asking for it raises an error: that is how we know that it is gone.

The walk keeps its own stack, so a graph of 10,000 operations in a row needs no recursion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from .facts import describe, is_node, is_tensor, number
from .model import Graph, Input, Op, Saved
from .names import Names

# Which input a saved value belongs to; only needed to give a constant its value back.
ARGUMENT_OF = {"self": 0, "other": 1, "mat2": 1, "exponent": 1, "vec": 1, "batch2": 1, "weight": 1,
               "target": 1}
ARGUMENT_OF_ADDMM = {"mat1": 1, "mat2": 2, "mat": 1, "vec": 2, "batch1": 1, "batch2": 2}
SLOT_ORDER = "self mat1 batch1 input other mat2 batch2 vec exponent weight result".split()

DULL = re.compile(r".*(sizes|strides|numel|shape|options|dtype)$|reduction$|ignore_index$")
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


def read(targets: Sequence[Any], names: Names, *, values: int = 6, versions: bool = False,
         all_settings: bool = False) -> Graph:
    """The graph behind `targets`, which are tensors or nodes."""
    return _Reader(names, values, versions, all_settings).read(targets)


class _Reader:
    def __init__(self, names: Names, values: int, versions: bool, all_settings: bool) -> None:
        self.names, self.values, self.versions, self.all_settings = names, values, versions, all_settings
        self.index: dict[int, int] = {}  # id of a node -> its place in the order
        self.keys: dict[Any, int] = {}  # identity of a tensor -> a small number for it
        self.alive: list[Any] = []  # an id is only valid while its object lives

    def read(self, targets: Sequence[Any]) -> Graph:
        starts = [target if is_node(target) else target.grad_fn for target in targets]
        nodes = in_forward_order([start for start in starts if start is not None])
        self.index = {id(node): at for at, node in enumerate(nodes)}
        graph = Graph(ops=[self.op(node) for node in nodes])
        for target, start in zip(targets, starts, strict=True):
            if start is None:
                graph.roots.append(self.tensor(target))
            else:
                output_nr = 0
                if not is_node(target):
                    output_nr = getattr(target, "output_nr", 0)
                    graph.ops[self.index[id(start)]].outputs[output_nr] = self.tensor(target)
                graph.roots.append((self.index[id(start)], output_nr))
        return graph

    def tensor(self, tensor: Any, name: str = "") -> Any:
        maker = tensor.grad_fn
        identity = id(tensor) if maker is None else (id(maker), getattr(tensor, "output_nr", 0))
        self.alive += (tensor, maker)
        key = self.keys.setdefault(identity, len(self.keys))
        return describe(tensor, name or self.names.of(tensor), self.values, self.versions, key)

    def op(self, node: Any) -> Op:
        name = node.name().rpartition("::")[2]
        if is_accumulate(node):
            return Op(name, "accumulate", leaf=self.tensor(node.variable))
        op = Op(name, "op")
        alive: dict[str, Any] = {}
        for slot, state, value, versions in saved_by(node):
            if not is_tensor(value) and state == "kept":
                if self.all_settings or not is_dull(slot, value):
                    op.settings.append((slot, setting(value)))
                continue
            op.saved.append(self.saved(node, slot, state, value, versions))
            alive[slot] = value
        for nr, (variable, tensor) in self.names.outputs(node).items():
            op.outputs[nr] = self.tensor(tensor, variable)
        for slot, value in alive.items():
            if slot == "result" and is_tensor(value):  # an unnamed output that the operation itself reveals
                op.outputs.setdefault(getattr(value, "output_nr", 0), self.tensor(value))
        constants = constants_of(name, alive)
        for at, (next_node, output_nr) in enumerate(node.next_functions):
            if next_node is not None:
                op.inputs.append(Input(self.index[id(next_node)], output_nr))
            elif at in constants:
                op.inputs.append(Input(None, constant=self.tensor(constants[at])))
            else:
                op.inputs.append(Input(None))
        return op

    def saved(self, node: Any, slot: str, state: str, value: Any, versions: tuple[int, int] | None) -> Saved:
        if not is_tensor(value):
            return Saved(slot, state, versions=versions)
        return Saved(slot, state, self.tensor(value), self.index.get(id(value.grad_fn)))


def in_forward_order(starts: Sequence[Any]) -> list[Any]:
    """Every node behind `starts`, inputs before users; the first input's history comes first."""
    done: set[int] = set()
    order: list[Any] = []
    for start in starts:
        stack = [(start, False)]
        while stack:
            node, inputs_done = stack.pop()
            if inputs_done:
                order.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                later = [next_node for next_node, _ in node.next_functions if next_node is not None]
                stack.extend((next_node, False) for next_node in reversed(later) if id(next_node) not in done)
    return order


def is_accumulate(node: Any) -> bool:
    return node.name().endswith("AccumulateGrad")


def saved_by(node: Any) -> list[tuple[str, str, Any, tuple[int, int] | None]]:
    """(slot, state, value, versions) for everything that a node keeps; empty slots are left out."""
    found = []
    slots = [name[len("_saved_"):] for name in dir(node) if name.startswith("_saved_")]
    for slot in sorted(slots, key=lambda name: (_place(name), name)):
        found += _ask(node, "_saved_" + slot, slot)
    if not slots and hasattr(type(node), "save_for_backward"):  # a custom Function
        found += _ask(node, "saved_tensors", "saved_tensors")
    return found


def _ask(node: Any, attribute: str, slot: str) -> list[tuple[str, str, Any, tuple[int, int] | None]]:
    try:
        value = getattr(node, attribute)
    except RuntimeError as error:
        message = str(error)
        if match := VERSIONS.search(message):
            return [(slot, "changed", None, (int(match[2]), int(match[1])))]
        return [(slot, "freed" if "freed" in message else "unreadable", None, None)]
    if isinstance(value, (tuple, list)) and any(is_tensor(item) for item in value):
        return [(f"{slot}[{at}]", "kept", item, None) for at, item in enumerate(value) if is_tensor(item)]
    return [] if value is None or (slot == "saved_tensors" and not value) else [(slot, "kept", value, None)]


def _place(slot: str) -> int:
    return SLOT_ORDER.index(slot) if slot in SLOT_ORDER else len(SLOT_ORDER) - 1


def constants_of(name: str, alive: dict[str, Any]) -> dict[int, Any]:
    """Saved tensors that take no gradient, by the position of the argument they were."""
    positions = ARGUMENT_OF_ADDMM if name.startswith(("Addm", "Addb", "Baddbmm")) else ARGUMENT_OF
    found = {positions[slot]: value for slot, value in alive.items() if slot in positions}
    return {at: value for at, value in found.items() if is_tensor(value) and not value.requires_grad}


def is_dull(slot: str, value: Any) -> bool:
    """Shapes, defaults and flags, which every operation keeps and few readers want to see."""
    return value is False or value == 1 and slot in ("alpha", "beta") or bool(DULL.match(slot))


def setting(value: Any) -> str:
    if isinstance(value, int) and value >= 2**63:  # PyTorch shows some negative numbers as unsigned
        value -= 2**64
    return number(value)
