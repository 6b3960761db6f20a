"""In which mode layers ran that do something else in evaluation: BatchNorm and dropout."""
from collections import deque
from typing import Any, NamedTuple

from .here import WhileAlive, order

MOST = 100  # calls of a layer that are remembered


class Mode(NamedTuple):
    """One call of such a layer."""

    order: int  # as that of an `Event` of a leaf
    training: bool
    recording: bool  # whether operations were recorded


_modes: WhileAlive[deque[Mode]] = WhileAlive()


def note_mode(module: Any, recording: bool) -> None:
    """Write down that a layer is called, if its mode matters."""
    if differs(module):
        known = _modes.setdefault(module, lambda: deque(maxlen=MOST))
        known.append(Mode(next(order), bool(module.training), recording))


def modes_of(module: Any) -> list[Mode]:
    """The calls of a layer that were watched."""
    return list(_modes.get(module) or ())


def differs(module: Any) -> str:
    """"BatchNorm" or "dropout" for a layer that does something else in evaluation, or ""."""
    kind, own = type(module).__name__, getattr(module, "__dict__", {})
    if kind.startswith(("BatchNorm", "SyncBatchNorm")):
        return "BatchNorm" * bool(own.get("track_running_stats", True))
    return "dropout" if "Dropout" in kind and own.get("p") else ""
