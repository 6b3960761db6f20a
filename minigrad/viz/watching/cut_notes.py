"""Where a value went on without its history while it was watched, noted for each leaf behind it.

A pass that never comes to a leaf leaves nothing to read once its graph is gone; this says why.
"""
from __future__ import annotations

import sys
from collections import Counter, deque
from contextlib import suppress
from types import FrameType
from typing import Any, NamedTuple
from weakref import ref

from ..graph.facts import base_of, is_tensor, whole_number
from ..graph.node_records import Line
from ..graph.walk import in_forward_order, leaves_of
from ..program.frame_variables import variables
from . import history
from .detached import note_computed, note_detached
from .first_order import note_constants
from .here import Seen, WhileAlive, here, looked_at, measured, order
from .large import memory_of
from .unrecorded import function_frame
from .write_records import line_here

EMPTY = ("_like", "new_")  # a function with such a name takes the shape alone
HOOK = "a forward hook of "  # and the path of its module
COPIES = ("detach", ".data", "numpy")
REENTRANT = "a reentrant checkpoint"  # which records nothing if no input requires a gradient
COPYING = ("tensor", "as_tensor")  # functions
NUMBERS = {"item": "item()", "tolist": "tolist()", "__float__": "float()", "to_float": "float()"}


class Made(NamedTuple):
    """A leaf that was made from the numbers of computed tensors, as by nn.Parameter(w * 2)."""

    word: str
    line: Line | None
    sources: list[Any]  # weak references to the leaves behind these tensors


class Loss(NamedTuple):
    """How a value lost its history, and where."""

    word: str  # "detach()", ".data", "no_grad", "integers", "booleans", "item()", "float()"
    line: Line | None
    is_leaf: bool = False  # the value was the leaf itself, and not computed from it

    @property
    def weight(self) -> int:
        """Return how well it explains a gradient that is None: many leaves are also printed."""
        return 2 * self.is_leaf + (self.word in ("integers", "booleans", *NUMBERS.values()))


_begun: deque[int] = deque(maxlen=1)  # the order of the last pass
_losses: Seen[Loss] = Seen()  # by leaf
_samples: WhileAlive[Line] = WhileAlive()  # by memory: the line that called sample()
_made: WhileAlive[Made] = WhileAlive()  # by the new leaf
_reached: WhileAlive[Counter[Line | None]] = WhileAlive()  # by leaf: the calls of grad()
_ended: WhileAlive[dict[Any, tuple[Any, Any]]] = WhileAlive()  # by leaf: see ends_of


def made_from(leaf: Any) -> Made | None:
    """How a leaf was made from computed tensors; None where it wasn't, or it isn't known."""
    return _made.get(leaf)


def ends_of(leaf: Any) -> list[tuple[str, Line | None, Any, Any]]:
    """The new leaves that were made from what was computed from a leaf, and that a pass from the
    same result as the leaf's own came to: (word, line, the last of them or None, its events).
    """
    found = (_ended.get(leaf) or {}).items()
    return [(word, line, new(), events) for (word, line), (new, events) in found]


@measured
def note_new_leaves(nodes: list[Any]) -> None:
    """A pass begins that goes through these nodes."""
    _begun.append(next(order))
    leaves = {id(leaf): leaf for leaf in leaves_of(nodes)} if _made else {}
    for leaf in leaves.values():
        made = _made.get(leaf)
        for source in made.sources if made is not None else ():
            if made is not None and id(source()) in leaves:
                events = history._known(leaf).events
                _ended.setdefault(source(), dict)[made.word, made.line] = ref(leaf), events


@measured
def note_reached(inputs: list[Any], result: Any, line: Line | None) -> None:
    """A grad() has returned gradients of these inputs."""
    with suppress(Exception):  # watching never fails in the place of the program
        for one, grad in zip(inputs, result):
            if is_tensor(grad) and one.grad_fn is None:
                _reached.setdefault(one, Counter)[line] += 1
        note_constants(inputs, result, line)


def reached_by_grad(leaf: Any) -> Counter[Line | None]:
    """How often a grad() returned a gradient of a leaf, by its line."""
    return _reached.get(leaf) or Counter()


@measured
def note_leaf(given: Any, result: Any, name: str) -> None:
    """A function has made a tensor of the numbers of others, which may become a leaf."""
    if not here.watches or here.in_pass or here.steps:
        return
    with suppress(Exception):  # watching never fails in the place of the program
        nodes = [one.grad_fn for one in given if is_tensor(one) and one.grad_fn is not None]
        if nodes and is_tensor(result) and result.grad_fn is None:
            word = "nn.Parameter()" if name == "Parameter" else f"{name}()"
            note_loss(given, word)
            note_detached(result, word)
            _made.set(result, Made(word, line_here(), list(map(ref, leaves_of(
                in_forward_order(nodes))))))


def last_event(leaf: Any) -> int:
    """The order of the last pass to a leaf, or of the last step that took it; 0: none."""
    known = history.known_leaves.get(leaf)
    events = reversed(known.events) if known is not None else ()
    return next((one.order for one in events if one.kind in ("pass", "step")), 0)


def losses_of(leaf: Any) -> list[Loss]:
    """Where values of a leaf lost their history before a pass; what explains little last."""
    last = _begun[-1] if _begun and _begun[-1] > here.since else 0
    found = [] if history.unseen(leaf) else _losses.of(leaf, last_event(leaf), last)
    return sorted(found, key=lambda one: one.weight)


@measured
def note_result(given: Any, result: Any, name: str, recording: bool = True) -> None:
    """A function was given tensors and returned; `recording`: operations were recorded."""
    if not here.watches or here.in_pass or here.steps:
        return
    with suppress(Exception):  # watching never fails in the place of the program
        made = [one for one in (result if isinstance(result, (tuple, list)) else [result])
                if is_tensor(one)]
        if name.endswith(EMPTY) or name.startswith(EMPTY):
            return
        if name in COPYING:
            note_leaf(given, result, name)
        if not recording and _has_rsample():
            for one in made:
                _samples.set(memory_of(one), line_here() or Line())
        if name in NUMBERS:
            return note_loss(given, NUMBERS[name], leaves=True)
        if name != "numpy" and (not made or any(one.requires_grad for one in made)):
            return
        word = name if name.startswith(".") else f"{name}()"
        if name not in COPIES:
            whole = all(map(whole_number, made))
            kind = "booleans" if "bool" in str(made[0].dtype) else "integers"
            word = kind if whole else word if recording else "no_grad"
            if recording and not whole:
                note_computed(given, made)
        elif any(is_tensor(one) and one.grad_fn is not None for one in given):
            for one in made:
                note_detached(one, word)
        note_loss(given, word, leaves=word == "no_grad")


def _reentrant_checkpoint() -> Line | None:
    """The line of the reentrant checkpoint() that runs, if none of its inputs has a gradient."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        own = frame.f_globals.get("__name__") == "torch.utils.checkpoint"
        if own and "run_function" in frame.f_code.co_varnames and frame.f_code.co_name == "forward":
            needed = any(is_tensor(one) and one.requires_grad
                         for one in variables(frame)["args"])
            return None if needed else line_here(frame)
        frame = frame.f_back
    return None


def _has_rsample() -> bool:
    """Whether a distribution's sample() runs that also has an rsample()."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        inside = str(frame.f_globals.get("__name__")).startswith("torch.distributions.")
        if inside and frame.f_code.co_name == "sample":
            return bool(getattr(frame.f_locals.get("self"), "has_rsample", False))
        frame = frame.f_back
    return False


def sampled_in(tensors: list[Any]) -> Line | None:
    """The line of the sample(), in place of which rsample() exists, that made one of these."""
    plain = [one for one in tensors if not one.requires_grad]
    return next(filter(None, (_samples.get(memory_of(one)) for one in plain)), None)


@measured
def note_loss(given: Any, word: str, leaves: bool = False, line: Line | None = None) -> None:
    """Values go on without their history; `leaves`: those of leaves count, too."""
    if not here.watches or here.in_pass or here.steps:
        return
    recorded = [one for one in given if is_tensor(one) and one.requires_grad]
    if recorded and (frame := function_frame()):  # its node has the history of what it is given
        held = variables(frame)
        kept = held.get("args", ()) if held.get("recording", not here.switched) else ()
        recorded = [one for one in recorded if all(one is not other for other in kept)]
    # PyTorch's view of a computed tensor under no_grad has no node, and its base has
    recorded = [one if one.grad_fn is not None or base_of(one) is None else base_of(one)
                for one in recorded]
    nodes = [one.grad_fn for one in recorded if one.grad_fn is not None]
    plain = [one for one in recorded if leaves and one.grad_fn is None]
    for is_leaf, found in ((False, nodes), (True, plain)):
        if not found:
            continue
        if word == "no_grad" and (where := _reentrant_checkpoint()):
            word, line = REENTRANT, where
        loss = Loss(word, line or line_here(), is_leaf)
        if looked_at(loss, here.seen):
            for leaf in found if is_leaf else leaves_of(in_forward_order(found)):
                _losses.note(leaf, loss)
