"""Free mode: the learner says which node runs next, and sees the numbers that follow.

A node that is fired works with everything that has arrived at it so far. Fired when all of its messages
have come, it sends what the engine would send. Fired too early and then once more, it sends a part of its
gradient twice, and the leaves end with a wrong number. Each message is computed by calling the node itself,
`node(gradient)`; no pass runs, nothing is freed, and no real `.grad` is touched.

`Game.fire` is a pure function from one `State` to the next. The widget only calls it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ....viz.graph.model import UNREAD, Picture
from ....viz.graph.walk import in_forward_order, is_accumulate
from ....viz.player.played_pass import arrived, expected, label, made, who
from ....viz.player.record import Grad, Step, grad_from, node_of
from ....viz.program.names import Names
from ....viz.program.read import read
from ..small_graph import small_picture

BEGIN = "Fire the nodes in any order. No real .grad changes."


@dataclass(frozen=True)
class State:
    """What was fired so far, and which messages wait at each node. Nothing in it is ever changed."""

    steps: tuple[Step, ...] = ()
    mail: Mapping[tuple[int, int], Any] = field(default_factory=dict)  # (operation, output) -> sum so far
    drawers: Mapping[int, Any] = field(default_factory=dict)  # AccumulateGrad -> what .grad would be
    text: str = ""


class Game:
    """The nodes behind the roots, each of which can be fired at any time, any number of times."""

    def __init__(self, roots: Sequence[Any], starts: Sequence[Any], names: Names, values: int) -> None:
        nodes = [node_of(root) for root in roots]
        self.nodes, self.values = in_forward_order(nodes), values
        targets = [node if root.grad_fn is None else root for root, node in zip(roots, nodes)]
        self.graph = read(targets, names, values=values)
        unread = [item.state for op in self.graph.ops for item in op.saved if item.state in UNREAD]
        if unread:
            raise ValueError("free mode runs a node as often as you like and calls its hooks each time; "
                             f"here a saved value is {unread[0]}: leave out free=True")
        self.starts = [_ones(root) if start is None else start.detach()
                       for root, start in zip(roots, starts)]
        self.drawers = {op: node.variable.grad.detach().clone() for op, node in enumerate(self.nodes)
                        if is_accumulate(node) and node.variable.grad is not None}
        self.expected = expected(self.graph)

    def begin(self) -> State:
        mail: dict[tuple[int, int], Any] = {}
        for place, start in zip(self.graph.roots, self.starts):
            mail[place] = start if place not in mail else mail[place] + start
        return State((), mail, self.drawers, BEGIN)

    def fire(self, state: State, op: int) -> State:
        """The state after one more node has worked with what it has so far."""
        last = max([nr for owner, nr in state.mail if owner == op], default=-1)
        grads = [state.mail.get((op, nr)) for nr in range(last + 1)]
        who_ = who(self.graph.ops[op])
        if not grads:
            return replace(state, text=f"Nothing has arrived at {who_} yet, so it has nothing to send.")
        if is_accumulate(self.nodes[op]):
            return self.fill(state, op, grads[0])
        try:
            sent = [None if grad is None else grad.detach() for grad in _call(self.nodes[op], grads)]
        except Exception as error:  # freed, or a custom backward that takes no None
            return replace(state, text=f"{who_} can't run: {type(error).__name__}: {error}")
        mail = dict(state.mail)
        for entry, grad in zip(self.graph.ops[op].inputs, sent):
            if entry.op is not None and grad is not None:
                place = (entry.op, entry.output_nr)
                mail[place] = mail[place] + grad if place in mail else grad
        step = Step(op, self.told(grads), self.told(sent))
        return State((*state.steps, step), mail, state.drawers, self.text(state, step))

    def fill(self, state: State, op: int, grad: Any) -> State:
        before = state.drawers.get(op)
        now = grad if before is None else before + grad
        shown = tuple("None" if value is None else self.told([value])[0].text for value in (before, now))
        step = Step(op, self.told([grad]), drawer=shown)
        after = State((*state.steps, step), state.mail, {**state.drawers, op: now})
        return replace(after, text=self.text(state, step) + self.verdict(after))

    def told(self, grads: Iterable[Any]) -> tuple[Grad | None, ...]:
        return tuple(grad_from(grad, self.values) for grad in grads)

    # ------------------------------------------------------------ orders

    def right_order(self) -> list[int]:
        """An order in which each node waits for all its messages; the engine's is another one of them."""
        waiting, ready, order = Counter(self.expected), deque(), []
        for op, _ in self.graph.roots:
            self.arrive(op, waiting, ready)
        while ready:
            order.append(ready.popleft())
            for entry in self.graph.ops[order[-1]].inputs:
                if entry.op is not None:
                    self.arrive(entry.op, waiting, ready)
        return order

    def arrive(self, op: int, waiting: Counter[int], ready: deque[int]) -> None:
        waiting[op] -= 1
        if not waiting[op]:
            ready.append(op)

    def hasty_order(self) -> list[int]:
        """The same order, but a node that should wait also runs as soon as its first message has arrived."""
        order: list[int] = []
        for op in self.right_order():
            order.append(op)
            hasty = {entry.op for entry in self.graph.ops[op].inputs if entry.op is not None
                     and self.expected[entry.op] > 1 and not is_accumulate(self.nodes[entry.op])}
            order += [target for target in sorted(hasty) if target not in order]
        return order

    def played(self, order: Iterable[int]) -> State:
        state = self.begin()
        for op in order:
            state = self.fire(state, op)
        return state

    # ------------------------------------------------------------ words and pictures

    def text(self, state: State, step: Step) -> str:
        op = self.graph.ops[step.op]
        got, wanted = arrived(self.graph, state.steps)[step.op], self.expected[step.op]
        earlier = [old.arrived for old in state.steps if old.op == step.op]
        grad = " and ".join("None" if grad is None else grad.text for grad in step.arrived)
        words = f"You fired {who(op)} with {grad}"
        if earlier:
            words += (", once more: what it added before is added a second time" if step.drawer
                      else ", once more: what it sent before goes out a second time")
        elif got < wanted:
            words += f", {got} of {wanted} messages: too early"
        if step.drawer:
            return f"{words}. {op.leaf.name}.grad was {step.drawer[0]} and is now {step.drawer[1]}."
        sends = [f"{sent.text} to {who(self.graph.ops[entry.op])}"
                 for entry, sent in zip(op.inputs, step.sent) if sent is not None and entry.op is not None]
        return f"{words}. It sent {', '.join(sends) or 'nothing'}."

    def verdict(self, state: State) -> str:
        """Once every leaf has its gradient: is it the engine's?"""
        leaves = [op for op, node in enumerate(self.nodes) if is_accumulate(node)]
        if not {step.op for step in state.steps}.issuperset(leaves):
            return ""
        right = self.played_right()
        told = [(self.graph.ops[op].leaf.name or "a leaf", *self.told([state.drawers[op], right.drawers[op]]))
                for op in leaves]
        if all(mine == true for _, mine, true in told):
            return " ✓ All leaves are right: the engine gets the same."
        wrong = "; ".join(f"{name}.grad is {mine.text}, the engine gets {true.text}"
                          for name, mine, true in told if mine != true)
        return f" Wrong: {wrong}."

    def played_right(self) -> State:
        state = self.begin()
        for op in self.right_order():
            if is_accumulate(self.nodes[op]):
                before, grad = state.drawers.get(op), state.mail.get((op, 0))
                now = grad if before is None else before if grad is None else before + grad
                state = replace(state, drawers={**state.drawers, op: now})
            else:
                state = self.fire(state, op)
        return state

    def picture(self, state: State) -> Picture:
        """The graph with the newest message on each edge; below a node, what arrived and how often it ran."""
        on = {(None, nr): grad for nr, grad in enumerate(self.told(self.starts))}
        on |= {(step.op, nr): sent for step in state.steps for nr, sent in enumerate(step.sent)}
        title = f"Free mode, after {len(state.steps)} fired nodes"
        return small_picture(self.graph, "engine", title,
                             lambda *edge: label(on[edge]) if edge in on else "",
                             self.standing(state), state.steps[-1].op if state.steps else None)

    def name_of(self, op: int) -> str:
        """What a learner calls a node: `c` if it made `c`, `a.grad` for a leaf, else a number, such as n5."""
        return self.names[op]

    @cached_property
    def names(self) -> list[str]:
        """A name for each operation; where two have the same one, both are called by their numbers."""
        names = [f"{op.leaf.name}.grad" if op.leaf and op.leaf.name else "" if op.leaf else made(op)
                 for op in self.graph.ops]
        return [name if name and names.count(name) == 1 else f"n{at}" for at, name in enumerate(names)]

    def standing(self, state: State) -> dict[int, list[str]]:
        """What is written below each node: its name if no tensor has it, its count, and a leaf's drawer."""
        got, ran = arrived(self.graph, state.steps), Counter(step.op for step in state.steps)
        lines = {}
        for op, name in enumerate(self.names):
            fired = {0: "", 1: "fired", 2: "fired twice"}.get(ran[op], f"fired {ran[op]} times")
            lines[op] = [*[name] * (name == f"n{op}"), f"{got[op]} of {self.expected[op]}", fired]
            if op in state.drawers:
                lines[op].append(f".grad {self.told([state.drawers[op]])[0].text}")
        return lines

    def op_of(self, name: str) -> int:
        ops = {self.name_of(op): op for op in range(len(self.nodes))}
        if name not in ops:
            raise ValueError(f"no node is called {name!r}; there are {', '.join(ops)}")
        return ops[name]


def _call(node: Any, grads: list[Any]) -> Sequence[Any]:
    """Built-in nodes can be called; those of a custom Function have `apply` instead."""
    sent = node(*grads) if callable(node) else node.apply(*grads)
    return sent if isinstance(sent, (tuple, list)) else (sent,)


def _ones(root: Any) -> Any:
    if tuple(root.shape) != () and root.numel() != 1:
        raise ValueError(f"free mode needs gradient=, because the tensor has shape {tuple(root.shape)}")
    return root.detach().clone().fill_(1)
