"""Records one real backward pass, step by step, through hooks that anybody may register.

Every node gets a hook before it runs (what arrived) and one after (what it sends on); afterwards
the hooks are gone, and what the pass changed is put back: every `.grad`, and what a watch notes. A
`Recording` holds words and numbers only, so it keeps no graph in memory.
"""
from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..graph.facts import grad_of, is_tensor, shape_of, written
from ..graph.model import UNREAD, Graph
from ..graph.node_records import forget_since, record_of
from ..graph.walk import in_forward_order, is_accumulate, leaves_of
from ..program.names import Names
from ..program.read import read
from ..watching.watch import watch


@dataclass(frozen=True)
class Grad:
    """A gradient on its way: its shape and, if it is small, its values as of `tolist`."""

    shape: tuple[int, ...]
    values: Any = None

    @property
    def numbers(self) -> tuple[Any, ...] | None:
        return None if self.values is None else tuple(_flat(self.values))

    @property
    def text(self) -> str:
        if self.values is None:
            return f"shape {self.shape}"
        return " ".join(written(self.values).split())


@dataclass(frozen=True)
class Step:
    """One node ran. `op` is its place in `Recording.graph.ops`."""

    op: int
    # by output of the operation: what the node was called with
    arrived: tuple[Grad | None, ...] = ()
    sent: tuple[Grad | None, ...] = ()  # by entry of next_functions
    freed: tuple[int, ...] = ()  # the places of the saved values that a pass frees
    drawer: tuple[str, str] | None = None  # AccumulateGrad: its leaf's .grad before and after
    # outputs that keep their gradient, with what they show now
    retained: tuple[tuple[int, str], ...] = ()
    error: str = ""  # the node raised this; it sent nothing


@dataclass(frozen=True)
class Recording:
    """A backward pass from its start to its end, or to its error.

    The graph is as it was before the pass.
    """

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
    graph = read([root if root.grad_fn is not None else node for root, node in zip(roots, starts)],
                 names, values=values)
    recorder = _Recorder(in_forward_order(starts), graph, names, keeps, values)

    def ended(told: str) -> Recording:
        return Recording(graph, tuple(map(recorder.grad, start)), recorder.told(told), told, keeps)

    try:
        with ExitStack() as hooks, watch():
            for op, node in enumerate(recorder.nodes):
                hooks.callback(node.register_prehook(partial(recorder.begins, op)).remove)
                hooks.callback(node.register_hook(partial(recorder.ends, op)).remove)
            run()
    # no variable of this frame keeps it, as its traceback keeps the frame
    except Exception as error:
        return ended(f"{type(error).__name__}: {error}"), error
    return ended(""), None


def node_of(root: Any) -> Any:
    """A leaf has no grad_fn, but it has an AccumulateGrad, which any view of it leads to."""
    return root.grad_fn or root.view_as(root).grad_fn.next_functions[0][0]


class _Recorder:
    def __init__(self, nodes: list[Any], graph: Graph, names: Names, keeps: bool,
                 values: int) -> None:
        self.nodes, self.graph, self.names = nodes, graph, names
        self.keeps, self.values = keeps, values
        self.steps: list[Step] = []
        # the steps that have begun and not ended: one, but for nested passes
        self.running: list[int] = []

    def begins(self, op: int, grads: Any) -> None:
        node = self.nodes[op]
        drawer = (self.drawer_of(node), "") if is_accumulate(node) else None
        retained = tuple((nr, grad) for nr, (_, tensor) in self.names.outputs(node).items()
                         if (grad := grad_of(tensor, "interior", self.values)) is not None)
        self.running.append(len(self.steps))
        self.steps.append(Step(op, tuple(map(self.grad, grads)), drawer=drawer, retained=retained))

    def ends(self, op: int, sent: Any, got: Any) -> None:
        at = self.running.pop()
        if drawer := self.steps[at].drawer:
            drawer = drawer[0], self.drawer_of(self.nodes[op])
        self.steps[at] = replace(self.steps[at], sent=tuple(map(self.grad, sent)), drawer=drawer)

    def drawer_of(self, node: Any) -> str:
        return grad_of(node.variable, "leaf", self.values) or ""

    def told(self, error: str) -> tuple[Step, ...]:
        for at in self.running:
            self.steps[at] = replace(self.steps[at], error=error)
        return tuple(step if step.error else replace(step, freed=self.freed(step.op))
                     for step in self.steps)

    def freed(self, op: int) -> tuple[int, ...]:
        """Which saved values of an operation a pass frees: all of those that are there, or none."""
        saved = [] if self.keeps else self.graph.ops[op].saved
        return tuple(place for place, item in enumerate(saved) if item.state in ("kept", *UNREAD))

    def grad(self, value: Any) -> Grad | None:
        return grad_from(value, self.values)


def grad_from(value: Any, most: int) -> Grad | None:
    """What is told of a gradient: numbers, if there are at most so many."""
    if not is_tensor(value):
        return None if value is None else Grad((), value)
    shape = shape_of(value)
    try:
        return Grad(shape, value.tolist() if math.prod(shape) <= most else None)
    except Exception:  # no storage, sparse, wrapped: the shape is all that can be told
        return Grad(shape)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def backward_of(tensor: Any) -> Any:
    """The `autograd.backward` of the package that this tensor comes from."""
    packages = (sys.modules.get(owner.__module__.partition(".")[0])
                for owner in type(tensor).__mro__)
    found = (getattr(getattr(package, "autograd", None), "backward", None) for package in packages)
    return next(filter(None, found))


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
