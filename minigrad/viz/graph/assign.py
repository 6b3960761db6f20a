"""Which module of a model, and which call of it, each box of a picture belongs to.

Where a watch noted the calls of modules, they tell. Otherwise an operation belongs to the module
whose parameters it uses, and what lies between two such operations to the innermost module that
holds both. `Box.module` lists the modules around a box from the outside in.
"""
from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from .box_order import connected
from .model import Graph, Op, Picture
from .modules import Chain, common

Calls = tuple[tuple[str, int], ...]  # modules from the outside in, each with the number of its call
# A call of one of these uses each of its parameters once.
SINGLE = re.compile(r"Linear|Bilinear|(Lazy)?Conv(Transpose)?\dd|\w*Norm\w*|Embedding(Bag)?|PReLU")
LOOK_UP = re.compile(r"Embedding|Index|Gather")  # what they look up in a parameter is no parameter
SOURCES = ("leaf", "constant", "accumulate")


def assign(picture: Picture, graph: Graph) -> None:
    """Say of each box which modules it belongs to.

    Where all belong to one model, it needs no frame.
    """
    if not any(box.tensor is not None and box.tensor.module for box in picture.boxes) \
            and not any(op.call for op in graph.ops):
        return
    finder = _Finder(picture, graph)
    chains = finder.chains()
    stripped, outermost = 0, {chain[0][0] for chain in chains if chain}
    if len(outermost) == 1 and len({chain[0] for chain in chains if chain}) == 1 \
            and any(len(chain) > 1 for chain in chains):
        chains, stripped = [chain[1:] for chain in chains], 1
    # the calls of a module, by what is around it
    count: dict[tuple[Calls, str], set[int]] = defaultdict(set)
    for chain in chains:
        for end, (path, number) in enumerate(chain):
            count[chain[:end], path].add(number)
    for box, chain in zip(picture.boxes, chains, strict=True):
        box.module = tuple(_label(picture, path, number, sorted(count[chain[:end], path]))
                           for end, (path, number) in enumerate(chain))
        call: Any = graph.ops[box.op].call if box.kind == "op" and box.op is not None else None
        if call is not None and len(call.chain) == len(chain) + stripped:
            for end in range(len(chain), 0, -1):
                picture.calls[box.module[:end]] = call
                call = call.outer


def _label(picture: Picture, path: str, number: int, numbers: list[int]) -> str:
    """`cell`, or `cell, call 2 of 8`, which is then known to be of the same class."""
    if len(numbers) == 1:
        return path
    label = f"{path}, call {numbers.index(number) + 1} of {len(numbers)}"
    picture.classes[label] = picture.classes.get(path, "")
    return label


class _Finder:
    def __init__(self, picture: Picture, graph: Graph) -> None:
        self.boxes, self.graph, self.classes = picture.boxes, graph, picture.classes
        self.maths = picture.view == "maths"
        self.inputs: list[list[int]] = [[] for _ in self.boxes]
        self.users: list[list[int]] = [[] for _ in self.boxes]
        for arrow in picture.arrows:
            if arrow.kind not in ("cut", "view"):
                self.inputs[arrow.head].append(arrow.tail)
                self.users[arrow.tail].append(arrow.head)
        self.own: list[Calls | None] = [None] * len(self.boxes)
        # Of parameters, and of what was made of them alone: the modules that they may be of.
        self.weights: list[list[Chain]] = [[] for _ in self.boxes]
        # parameters that a call has used
        self.used: dict[tuple[str, int], set[int]] = defaultdict(set)
        self.exact = [self._recorded(at) for at in range(len(self.boxes))]
        # models whose calls were noted
        self.watched = {chain[0][0] for chain in self.exact if chain}

    def chains(self) -> list[Calls]:
        before, after = self._by_parameters()
        found: list[Calls] = []
        for at, box in enumerate(self.boxes):
            if (chain := self.own[at]) is None:
                chain = ()
                if box.kind == "tensor":
                    chain = found[self.inputs[at][0]] if self.inputs[at] and self.maths else ()
                elif box.kind != "constant" and before[at] >= 0 and after[at] < len(self.boxes):
                    chain = common([self.own[before[at]] or (), self.own[after[at]] or ()])
            op = self._op(at)
            watched = op is not None and op.watched and not op.call
            if chain and watched and chain[0][0] in self.watched:
                chain = ()  # it was recorded outside of any module
            found.append(chain)
        for at, box in enumerate(self.boxes):  # a constant without a name belongs to what uses it
            name = box.tensor.name if box.tensor is not None else box.title.removeprefix("constant")
            if box.kind == "constant" and self.users[at] and self.own[at] is None and not name:
                found[at] = common([found[head] for head in self.users[at]])
        self._split(found, list(range(len(found))), 0)
        for at, box in enumerate(self.boxes):
            if box.kind in SOURCES and found[at]:
                found[at] = self._around(found, at)
        return found

    def _by_parameters(self) -> tuple[list[int], list[int]]:
        """Set `own`, from the inputs to the outputs; find the nearest operations with a module."""
        before, after = [-1] * len(self.boxes), [len(self.boxes)] * len(self.boxes)
        for at, box in enumerate(self.boxes):
            if box.kind in ("leaf", "constant"):
                if box.tensor is not None and box.tensor.module:
                    self.weights[at] = [box.tensor.module, *(chain for _, chain in box.tensor.ties)]
                    self.own[at] = tuple((path, 0) for path in common(self.weights[at]))
                continue
            used = [tail for tail in self.inputs[at] if self.weights[tail]]
            before[at] = max((before[tail] for tail in self.inputs[at]), default=-1)
            if self.exact[at] is None and used and self._is_weight(at, used):
                self.weights[at] = self.weights[used[0]]
                self.own[at] = tuple((path, 0)
                                     for path in common([self.weights[tail][0] for tail in used]))
            elif self.exact[at] is not None or used:
                exact = self.exact[at]
                self.own[at] = self._user(at, used) if exact is None else exact
                before[at] = at
        for at in reversed(range(len(self.boxes))):
            near = min((after[head] for head in self.users[at]), default=len(self.boxes))
            after[at] = at if self.own[at] is not None and not self.weights[at] else near
            if self.weights[at] and self.boxes[at].kind not in SOURCES:  # it is where it is used
                chains = [chain for head in self.users[at] if (chain := self.own[head]) is not None]
                self.own[at] = common(chains) if chains else self.own[at]
        return before, after

    def _is_weight(self, at: int, used: list[int]) -> bool:
        """Whether an operation makes, of parameters alone, what replaces a parameter."""
        op = self._op(at)
        if len(used) < len(self.inputs[at]) or op is not None and op.shapes[:1] == [()]:
            return False
        if op is not None and LOOK_UP.match(op.name):
            return False
        # a layer's weight and bias, and another's parameter
        first = [self.weights[tail][0] for tail in used]
        return len(set(first)) == 1 or len(set(first)) == len(first)

    def _user(self, at: int, used: list[int]) -> Calls:
        """The modules around an operation that uses parameters, with the number of the call."""
        options = [self.weights[tail] for tail in used]
        sure = [chains[0] for chains in options if len(chains) == 1]
        chain = common([self._tied(at, chains, sure) if len(chains) > 1 else chains[0]
                        for chains in options])
        number = 0
        if chain and SINGLE.fullmatch(self.classes.get(chain[-1], "")):
            while used and self.used[chain[-1], number].intersection(map(self._leaf, used)):
                number += 1
            self.used[chain[-1], number].update(map(self._leaf, used))
        return tuple((path, number * (end == len(chain))) for end, path in enumerate(chain, 1))

    def _tied(self, at: int, chains: list[Chain], sure: list[Chain]) -> Chain:
        """Which module's parameter this is here: one whose others are used, or one of its kind."""
        if found := [chain for chain in chains if chain in sure]:
            return found[0]
        op = self._op(at)
        looks_up = op is not None and bool(LOOK_UP.match(op.name))
        like = [chain for chain in chains
                if self.classes.get(chain[-1] if chain else "", "").startswith("Embedding")
                == looks_up]
        return (like or chains)[0]

    def _leaf(self, at: int) -> int:
        """The parameter that something was made of."""
        while self.boxes[at].kind not in ("leaf", "constant") and self.inputs[at]:
            at = self.inputs[at][0]
        return at

    def _op(self, at: int) -> Op | None:
        place = self.boxes[at].op
        return None if place is None else self.graph.ops[place]

    def _recorded(self, at: int) -> Calls | None:
        op = self._op(at)
        if op is None or op.call is None:
            return None
        call = op.call
        while call is not None:
            self.classes.setdefault(call.path, call.kind)
            call = call.outer
        return tuple(zip(op.call.chain, op.call.key))

    def _split(self, found: list[Calls], group: list[int], depth: int) -> None:
        """Number the calls of a module where they are separate pieces with the same parameters."""
        inside: dict[tuple[str, int], list[int]] = defaultdict(list)
        for at in group:
            if len(found[at]) > depth and self.boxes[at].kind not in SOURCES:
                inside[found[at][depth]].append(at)
        for (path, number), boxes in inside.items():
            calls: list[tuple[set[int], list[int]]] = []
            for piece in connected(boxes, self._near) if not number else ():
                leaves = {self._leaf(tail) for at in piece for tail in self.inputs[at]
                          if self.weights[tail]}
                for known, members in calls:
                    if not known & leaves:
                        known |= leaves
                        members += piece
                        break
                else:
                    calls.append((leaves, piece))
            alike = len(calls) > 1 and all(leaves == calls[0][0] for leaves, _ in calls)
            for nr, (_, members) in enumerate(calls if alike else (), 1):
                for at in members:
                    found[at] = (*found[at][:depth], (path, nr), *found[at][depth + 1:])
            for members in [members for _, members in calls] if alike else [boxes]:
                self._split(found, members, depth + 1)

    def _near(self, at: int) -> list[int]:
        return [*self.inputs[at], *self.users[at]]

    def _around(self, found: list[Calls], at: int) -> Calls:
        """The modules around a parameter; a call only if it is used in no other."""
        users = self.users[at]
        while users and all(self.boxes[head].kind == "accumulate" for head in users):
            users = [head for user in users for head in self.users[user]]
        chain = common([found[head] for head in users]) if users else found[at]
        own = tuple(path for path, _ in found[at])
        if not users:
            return chain
        return tuple(part for end, part in enumerate(chain) if own[end:end + 1] == part[:1])
