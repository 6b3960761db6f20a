"""Calls in training mode while nothing is recorded, as in an evaluation that forgot eval().

They may belong to the training: a generator's images for its critic, or targets that the model
itself makes. So what comes of their results is followed, until a recorded operation takes it.
"""
from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..graph.facts import is_tensor
from ..graph.node_records import Line
from ..graph.norms import array_of, norm_of
from ..program.lines import line_words
from .here import WhileAlive, here, order
from .large import memory_of

if TYPE_CHECKING:
    from .calls import Call

FUNCTION = "autograd.function"  # the end of a module's name; no operation in a Function is recorded
STATISTICS = ("running_mean", "running_var")


class Group:
    """The calls of a layer that one line of the program led to."""

    def __init__(self, outermost: Call) -> None:
        self.path, self.line, self.first = outermost.path, outermost.line, next(order)
        self.calls = self.repeats = self.number = 0  # of the outermost module; the last one
        self.trained = self.followed = False  # a recorded operation took it; it would be known
        self.before: list[Any] = []  # running statistics when the last call began
        self.moves = [0.0, 0.0]  # the sums of the norms of their changes


class Modes:
    """How a layer was called in one watch."""

    def __init__(self, since: int) -> None:
        self.since, self.recorded, self.evaluated = since, 0, 0
        self.groups: dict[Line | None, Group] = {}


_known: WhileAlive[Modes] = WhileAlive()
# By memory: the steps until then, and the places in it that a model was given since.
_given: WhileAlive[tuple[int, set[tuple[int, tuple[int, ...]]]]] = WhileAlive()
_of_memory: WhileAlive[tuple[Group, ...]] = WhileAlive()  # by what came of the results


def modes_in_watch(module: Any) -> Modes | None:
    """How a layer was called in the watch that is judged, or in the last one."""
    found = _known.get(module)
    return found if found is not None and found.since >= here.since else None


def note_unrecorded(module: Any, recording: bool) -> None:
    """A layer is called whose mode matters."""
    since = max((one.since for one in here.watches), default=0)
    if (known := _known.get(module)) is None or known.since != since:
        known = _known.set(module, Modes(since))
    if not module.training:
        known.evaluated += 1
    elif recording:
        known.recorded += 1
    elif known.recorded and here.calls and here.calls[0].training and not here.in_pass and (
            any(one.steps for one in here.watches)) and not function_frame():
        whole = here.calls[0]
        group = known.groups.setdefault(whole.line, Group(whole))
        if group.number != whole.number:
            group.calls, group.number = group.calls + 1, whole.number
            group.repeats += whole.repeats
            group.before = statistics_of(module)
            whole.groups += ((ref(module), group),)


def _memory(value: Any) -> Any:
    """The memory of a tensor; None where it has none of the usual kind, as under vmap."""
    try:
        return memory_of(value)
    except Exception:  # sparse, wrapped
        return None


def is_repeated(given: Sequence[Any]) -> bool:
    """Whether a model is given a tensor that it was given before, with no step between."""
    steps = max(sum(one.taken_by.values()) for one in here.watches)
    for one in given[:1]:
        if _memory(one) is None:
            return False
        since, known = _given.get(_memory(one)) or (steps, set())
        known = known if since == steps else set()
        key = one.data_ptr(), tuple(one.shape)
        _given.set(_memory(one), (steps, {*known, key}))
        return key in known
    return False


def repeated_calls(layers: Iterable[Any]) -> list[str]:
    """Say where models of such layers got one input several times, as in Monte Carlo dropout."""
    groups = [group for layer in layers if (known := modes_in_watch(layer)) is not None
              for group in known.groups.values() if group.repeats]
    return list({group.line: f"{group.path} was called {group.calls} times{_place(group.line)} in "
                 f"training mode while nothing was recorded; of these calls, {group.repeats} had "
                 "an input that an earlier one had had since the last step." for group in groups
                 }.values())


def _place(line: Line | None) -> str:
    return f" ({line_words(line)})" if line else ""


def note_returned(call: Call, results: list[Any]) -> None:
    """The outermost module has returned."""
    for layer, group in call.groups:
        for at, (new, old) in enumerate(zip(statistics_of(layer()), group.before)):
            group.moves[at] += norm_of(new - old)
        group.before = []
    groups = tuple({id(one): one for _, one in call.groups}.values())
    call.groups = ()
    for tensor in results if groups else ():
        if _memory(tensor) is None:
            continue
        _of_memory.set(_memory(tensor), groups)
        for group in groups:
            group.followed = array_of(tensor) is None  # of minigrad, recorded operations are seen


def follow(given: Sequence[Any], results: Sequence[Any], recorded: bool = False) -> None:
    """An operation was given tensors and returned these; some may have come of such results."""
    if not _of_memory:
        return
    found = {group: None for one in given for group in _of_memory.get(_memory(one)) or ()}
    if not found:
        return
    if recorded or any(one.requires_grad for one in results):
        for group in found:
            group.trained = True
    for one in (one for one in results if _memory(one) is not None):
        _of_memory.set(_memory(one), (*(_of_memory.get(_memory(one)) or ()), *found))


def statistics_of(module: Any) -> list[Any]:
    """Copies of the running mean and variance of a layer, if it has them."""
    buffers = vars(module)["_buffers"]
    return [buffers[name].clone() for name in STATISTICS if is_tensor(buffers.get(name))]


def function_frame() -> FrameType | None:
    """The apply() of the Function whose forward runs, such as that of a checkpoint."""
    frame: FrameType | None = sys._getframe(1)
    while frame and not str(frame.f_globals.get("__name__")).endswith(FUNCTION):
        frame = frame.f_back
    return frame
