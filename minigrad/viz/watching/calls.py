"""The calls of modules under `watch(model)`: what went in and out, the time, and what the pass
brought.

A `Call` is plain, and every node that a call recorded has it in its record: frames and figures are
exact, not guessed from parameters. Calls inside a backward pass are those of a checkpoint.
"""
from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..drawing.work import Shapes
from ..graph.modules import inner_modules, joined
from ..graph.node_records import Line, record_of
from ..graph.norms import Numbers
from .here import WhileAlive, here, measured
from .write_records import line_here

MOST = 1000  # calls of a module that are remembered


@dataclass
class Model:
    """A model that is watched, by the name that the program has for it."""

    name: str
    module: weakref.ref[Any]
    feeds: bool = False  # another model was called with what it had returned

    def calls(self) -> list[Call]:
        """Those of its parts that are remembered, in order."""
        found = [call for _, calls in made.items() for call in calls
                 if call.root is self and call.number > here.since]
        return sorted(found, key=lambda call: call.number)


@dataclass(eq=False)
class Call:
    """One call of a module. See the fields; None says that it is not known."""

    root: Model
    inner: str  # its place in the model: "encoder.0"; "" is the model itself
    kind: str  # its class
    number: int  # grows over all calls
    outer: Call | None  # the call inside of which it was called
    line: Line | None
    inputs: Shapes
    parameters: int  # numbers in its parameters and those of its parts, each once
    frozen: int  # how many of them don't require a gradient
    training: bool
    grad_enabled: bool
    recomputed: bool  # it ran inside a backward pass
    registered: bool = True  # False: the module that called it doesn't have it among its parts
    outputs: Shapes = ()
    # Calls whose results it was given without a history, and whether these had one.
    sources: tuple[tuple[Call, bool], ...] = ()
    sampled: Line | None = None  # of the sample() that gave it an input, where rsample() exists
    detached: tuple[str, Line | None] | None = None  # what cut off an input that was computed
    output: float | None = None  # the root mean square of what it returned first
    seconds: float = 0.0  # with what it called
    raised: bool = False
    saved: int | None = None  # bytes that its nodes held when a pass began, each memory once
    grad_out: Numbers | None = None  # of the loss with respect to its output, in the last pass
    # What it sent to its input; in `x + layer(x)`, others send to `x`, too.
    grad_in: Numbers | None = None
    # Of a layer over sequences: in how many places of its output's first dimension a gradient came
    # that isn't 0, and in which of the second.
    spread: tuple[int, list[int]] | None = None
    of_pass: int = 0  # the last pass that reached its output; 0: none
    # For the picture of the forward pass, see forward_notes.
    memory: tuple[int, ...] = ()  # the address of each input; 0 for one that has a history
    names: tuple[str, ...] = ()  # of the inputs, if no other call is around it
    activations: int | None = None  # bytes that the modules in it returned, or else itself
    unrecorded: int = 0  # how many of these returned a result without a history
    groups: tuple[Any, ...] = ()  # while the outermost runs, see unrecorded
    repeats: bool = False  # nothing was recorded, and since the last step it had this input before
    dropped: tuple[tuple[Line | None, float], ...] = ()  # see note_dropping
    started: float = field(default=0.0, repr=False)
    error: int = field(default=0, repr=False)  # which was handled when it began
    # while it runs: gives the module its forward hooks back, see hook_notes
    unwrap: Callable[[], None] | None = field(default=None, repr=False)

    @property
    def path(self) -> str:
        """Its full name, "model.encoder.0"."""
        return joined(self.root.name, self.inner)

    @property
    def around(self) -> tuple[Call, ...]:
        """The calls around it and itself, from the outside in."""
        return (*(self.outer.around if self.outer else ()), self)

    @property
    def chain(self) -> tuple[str, ...]:
        return tuple(call.path for call in self.around)

    @property
    def key(self) -> tuple[int, ...]:
        """The numbers of the calls around it and its own: two calls of one module differ."""
        return tuple(call.number for call in self.around)


makers: WhileAlive[tuple[Call, bool]] = WhileAlive()  # by memory: who returned it, with a history?
places: WhileAlive[tuple[Model, str]] = WhileAlive()
made: WhileAlive[deque[Call]] = WhileAlive()


def call_of(node: Any) -> Call | None:
    """The innermost call that recorded a node; None outside of all, or if no model was watched."""
    return record_of(node).get("call")


def innermost() -> Call | None:
    return here.calls[-1] if here.calls else None


@measured
def note_dropping(given: dict[str, Any]) -> None:
    """Note a function that drops numbers (its line, their share) in a call in evaluation mode."""
    call = innermost()
    if call is not None and not call.registered and "Dropout" in call.kind:
        call = call.outer  # it was made anew there, and no eval() reaches it
    if call is not None and not call.training and given.get("training") and given.get("p"):
        call.dropped = *call.dropped, (line_here(), given["p"])


def calls_of(module: Any) -> list[Call]:
    """The last calls of a module that were watched."""
    return [call for call in made.get(module) or () if call.number > here.since]


def known_calls(model: Any) -> list[Call]:
    """The calls of a watched model and its parts; none of which a part's are forgotten."""
    root, _ = places.get(model) or (None, "")
    full = [calls[0].number for _, calls in made.items() if len(calls) == MOST]
    calls = root.calls() if root is not None else []
    return [call for call in calls if call.around[0].number >= max(full, default=0)]


def calls_with(leaf: Any) -> tuple[str, list[Call]] | None:
    """The module that has a parameter, and its calls; None where it is part of no watched model."""
    for module, (root, place) in places.items():
        if any(one is leaf for one in own(module, "_parameters").values()):
            return joined(root.name, place), calls_of(module)
    return None


def register(model: Any, name: str) -> Model:
    """Give a model and its parts their names."""
    root = Model(name, weakref.ref(model))
    for path, module in inner_modules(model).items():
        places.set(module, (root, path))
    return root


def own(module: Any, name: str) -> dict[str, Any]:
    try:
        return object.__getattribute__(module, "__dict__").get(name) or {}
    except Exception:  # a module that is half built
        return {}
