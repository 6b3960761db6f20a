"""Records one real backward pass, step by step, through hooks that anybody may register.

Every node gets a hook before it runs (what arrived) and one after (what it sends on). The pass runs once,
through `tensor.backward()` itself, so order and numbers are the engine's own; afterwards the hooks are gone.
A `Recording` holds words and numbers only, so it keeps no graph in memory. Works on PyTorch too.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..facts import grad_of, is_tensor, number, shape_of
from ..kept import is_freed
from ..model import UNREAD, Graph
from ..names import Names
from ..read import in_forward_order, is_accumulate, read
from ..watching import watch


@dataclass(frozen=True)
class Grad:
    """A gradient on its way: its shape and, while it is small, its numbers (row by row)."""

    shape: tuple[int, ...]
    numbers: tuple[Any, ...] | None = None

    @property
    def text(self) -> str:
        if self.numbers is None:
            return f"shape {self.shape}"
        if len(self.shape) < 2:
            inside = ", ".join(map(number, self.numbers))
            return f"[{inside}]" if self.shape else inside
        step = math.prod(self.shape[1:])
        starts = range(0, len(self.numbers), step or 1)
        rows = [Grad(self.shape[1:], self.numbers[at:at + step]).text for at in starts]
        return f"[{', '.join(rows)}]"


@dataclass(frozen=True)
class Step:
    """One node ran. `op` is its place in `Recording.graph.ops`."""

    op: int
    arrived: tuple[Grad | None, ...] = ()  # by output of the operation: what the node was called with
    sent: tuple[Grad | None, ...] = ()  # by entry of next_functions
    freed: tuple[int, ...] = ()  # which of the operation's saved values were gone afterwards
    drawer: tuple[str, str] | None = None  # AccumulateGrad: its leaf's .grad before and after
    retained: tuple[tuple[int, str], ...] = ()  # outputs that keep their gradient, with what they show now
    error: str = ""  # the node raised this; it sent nothing


@dataclass(frozen=True)
class Recording:
    """A backward pass from its start to its end, or to its error. The graph is as it was before the pass."""

    graph: Graph
    start: tuple[Grad | None, ...]  # what was put in, by root
    steps: tuple[Step, ...]
    error: str = ""
    keeps: bool = False  # retain_graph


def record(roots: Sequence[Any], names: Names, run: Any, *, keeps: bool = False, values: int = 6,
           start: Sequence[Any] = ()) -> tuple[Recording, Exception | None]:
    """Call `run()`, a backward pass from `roots`, and tell what it did.

    An exception that the pass raises is handed back with the recording of the steps before it.
    """
    starts = [node_of(root) for root in roots]
    graph = read([root if root.grad_fn is not None else node for root, node in zip(roots, starts)], names,
                 values=values)
    recorder = _Recorder(in_forward_order(starts), graph, names, keeps, values)
    error = None
    with recorder.hooked(), watch():
        try:
            run()
        except Exception as raised:
            error = raised
    told = "" if error is None else f"{type(error).__name__}: {error}"
    return Recording(graph, tuple(map(recorder.grad, start)), recorder.told(told), told, keeps), error


def node_of(root: Any) -> Any:
    """A leaf has no grad_fn, but it has an AccumulateGrad, which any view of it leads to."""
    return root.grad_fn or root.view_as(root).grad_fn.next_functions[0][0]


class _Recorder:
    def __init__(self, nodes: list[Any], graph: Graph, names: Names, keeps: bool, values: int) -> None:
        self.nodes, self.graph, self.names, self.keeps, self.values = nodes, graph, names, keeps, values
        self.steps: list[Step] = []
        self.running: list[int] = []  # the steps that have begun and not ended: one, but for nested passes
        self.unchecked: list[int] = []  # steps that have ended, whose saved values were not looked at yet

    @contextmanager
    def hooked(self) -> Iterator[None]:
        handles = []
        try:
            for op, node in enumerate(self.nodes):
                handles.append(node.register_prehook(lambda grads, op=op: self.begins(op, grads)))
                handles.append(node.register_hook(lambda sent, got, op=op: self.ends(op, sent)))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def begins(self, op: int, grads: Any) -> None:
        self.look_for_freed()
        node = self.nodes[op]
        drawer = (self.drawer(node.variable), "") if is_accumulate(node) else None
        self.running.append(len(self.steps))
        self.steps.append(Step(op, tuple(map(self.grad, grads)), drawer=drawer,
                               retained=tuple(self.retained(node))))

    def ends(self, op: int, sent: Any) -> None:
        at = self.running.pop()
        step, drawer = self.steps[at], self.steps[at].drawer
        if drawer:
            drawer = (drawer[0], self.drawer(self.nodes[op].variable))
        self.steps[at] = replace(step, sent=tuple(map(self.grad, sent)), drawer=drawer)
        self.unchecked.append(at)

    def told(self, error: str) -> tuple[Step, ...]:
        self.look_for_freed()
        for at in self.running:
            self.steps[at] = replace(self.steps[at], error=error or "it did not end")
        return tuple(self.steps)

    def look_for_freed(self) -> None:
        """A node frees what it saved after its last hook, so the next node is the first that can see it.

        While a graph is retained nothing is freed.
        """
        while self.unchecked:
            at = self.unchecked.pop()
            op = self.steps[at].op
            saved = [] if self.keeps else self.graph.ops[op].saved
            freed = tuple(place for place, item in enumerate(saved)
                          if item.state in ("kept", *UNREAD) and is_freed(self.nodes[op], item.slot))
            self.steps[at] = replace(self.steps[at], freed=freed)

    def retained(self, node: Any) -> Iterator[tuple[int, str]]:
        for nr, (_, tensor) in self.names.outputs(node).items():
            if getattr(tensor, "retains_grad", False):
                yield nr, grad_of(tensor, "interior", self.values) or "None"

    def drawer(self, leaf: Any) -> str:
        return grad_of(leaf, "leaf", self.values) or "None"

    def grad(self, value: Any) -> Grad | None:
        return grad_from(value, self.values)


def grad_from(value: Any, values: int) -> Grad | None:
    if not is_tensor(value):
        return None if value is None else Grad((), (value,))
    shape = shape_of(value)
    if math.prod(shape) > values:
        return Grad(shape)
    try:
        return Grad(shape, tuple(_flat(value.tolist())))
    except Exception:  # no storage, sparse, wrapped: the shape is all that can be told
        return Grad(shape)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def backward_of(tensor: Any) -> Any:
    """The `autograd.backward` of the package that this tensor comes from; a subclass may live elsewhere."""
    for owner in type(tensor).__mro__:
        package = sys.modules.get(owner.__module__.partition(".")[0])
        if hasattr(getattr(package, "autograd", None), "backward"):
            return package.autograd.backward
    raise TypeError(f"no backward() is known for {type(tensor).__name__}")
