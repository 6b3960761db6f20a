"""In which mode layers ran that do something else in evaluation: BatchNorm and dropout."""
from __future__ import annotations

import weakref
from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.facts import unheard, version_of
from ..graph.modules import inner_modules, members
from ..graph.node_records import Line
from ..graph.norms import norm_of
from .here import WhileAlive, here, measured, order
from .unrecorded import note_unrecorded, statistics_of

MOST = 100  # calls of a layer that are remembered


class Mode(NamedTuple):
    """One call of such a layer."""

    order: int  # as that of an `Event` of a leaf
    training: bool
    recording: bool  # whether operations were recorded


_modes: WhileAlive[deque[Mode]] = WhileAlive()
# By a BatchNorm whose statistics were never updated: its model, and the norms of the parameters of
# the model, at the first step.
_untouched: WhileAlive[tuple[weakref.ref[Any], list[str]]] = WhileAlive()
# By a parameter of a model none of which the first step took: what it was like then, and when.
_beside: WhileAlive[tuple[int, tuple[Any, str]]] = WhileAlive()
# Where one was called in evaluation mode after these parameters had changed.
_unset: WhileAlive[tuple[Line | None]] = WhileAlive()


class Moves:
    """What a BatchNorm was like before its first call in training mode in a watch."""

    def __init__(self, module: Any, since: int) -> None:
        self.since, self.calls = since, 0
        self.parameters, self.statistics = _norms(module), statistics_of(module)


_moves: WhileAlive[Moves] = WhileAlive()


def note_mode(module: Any, recording: bool, line: Line | None) -> None:
    """Write down that a layer is called whose mode matters."""
    known = _modes.setdefault(module, lambda: deque(maxlen=MOST))
    known.append(Mode(next(order), bool(module.training), recording))
    note_unrecorded(module, recording)
    if module.training and differs(module) == "BatchNorm":
        note_move(module)
    before = None if module.training else _untouched.get(module)
    if before is not None and is_unset(module) and (model := before[0]()) is not None:
        if _norms(model) != before[1]:
            _unset.set(module, (line,))


def note_move(module: Any) -> None:
    """Count a call that is about to update running statistics, and keep these before the first."""
    since = max((one.since for one in here.watches), default=0)
    if (known := _moves.get(module)) is None or known.since != since:
        known = _moves.set(module, Moves(module, since))
    known.calls += 1


@unheard
def moved_of(module: Any) -> tuple[int, int, list[float]] | None:
    """Return by how much running mean and variance moved in the calls in training mode of a watch.

    (where the watch began, calls, the norms of both changes); None where they didn't move, or if
    the parameters of the layer changed, too.
    """
    known, now = _moves.get(module), statistics_of(module)
    if known is None or known.since < here.since or _norms(module) != known.parameters:
        return None
    moves = [norm_of(new - old) for new, old in zip(now, known.statistics)]
    return (known.since, known.calls, moves) if any(moves) else None


def modes_of(module: Any) -> list[Mode]:
    """The calls of a layer that were watched."""
    return list(_modes.get(module) or ())


def differs(module: Any) -> str:
    """"BatchNorm" or "dropout" for a layer that does something else in evaluation, or ""."""
    kind, own = type(module).__name__, getattr(module, "__dict__", {})
    if kind.startswith(("BatchNorm", "SyncBatchNorm")):
        return "BatchNorm" * bool(own.get("track_running_stats", True))
    return "dropout" if "Dropout" in kind and own.get("p") else ""


@measured
@unheard
def note_untouched(models: list[tuple[str, Any]], taken: list[Any]) -> None:
    """Note, at the first step, what the models are like whose statistics were never updated, and
    those of which it took nothing.
    """
    held = set(map(id, taken))
    for _, model in models[::-1]:  # the largest last, which counts
        with suppress(Exception):  # watching never fails in the place of the program
            found = [one for one in inner_modules(model).values() if is_unset(one)]
            norms = _norms(model) if found else []
            for layer in found:
                _untouched.set(layer, (weakref.ref(model), norms))
            leaves = [leaf for _, leaf in members(model)]
            for leaf in leaves if held.isdisjoint(map(id, leaves)) else ():
                _beside.set(leaf, (next(order), (version_of(leaf), str(norm_of(leaf)))))


@unheard
def unchanged_since(leaf: Any) -> int | None:
    """The order of the first step, if a parameter of another model is what it was like then."""
    since, before = _beside.get(leaf) or (0, None)
    same = before == (version_of(leaf), str(norm_of(leaf)))
    return since if same and since > here.since else None


def used_unset(module: Any) -> tuple[Line | None] | None:
    """The line in which a BatchNorm used statistics that nothing had ever updated, in a tuple.

    It was in evaluation mode, and the weights of its model had changed since the first step. None:
    no such call was seen, or the statistics have been updated since then.
    """
    found = _unset.get(module)
    return found if found is not None and is_unset(module) else None


@unheard
def is_unset(module: Any) -> bool:
    """Whether the statistics of a BatchNorm are those it was made with: no batch, 0 and 1."""
    buffers = getattr(module, "__dict__", {}).get("_buffers") or {}
    names = "num_batches_tracked", "running_mean", "running_var"
    found: list[Any] = [buffers.get(name) for name in names]
    if differs(module) != "BatchNorm" or any(one is None for one in found):
        return False
    batches, mean, variance = found
    return not batches.item() and not norm_of(mean) and not norm_of(variance - 1)


def _norms(model: Any) -> list[str]:
    """The norms of its parameters, as text: there NaN is equal to itself."""
    return [str(norm_of(one)) for part in inner_modules(model).values()
            for one in vars(part)["_parameters"].values() if one is not None]
